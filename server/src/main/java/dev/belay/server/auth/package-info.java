/// Who may do what, and how much of it: principals, tokens, tickets, quotas.
@NullMarked
package dev.belay.server.auth;

import org.jspecify.annotations.NullMarked;

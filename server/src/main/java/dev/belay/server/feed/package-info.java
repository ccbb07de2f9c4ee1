/// The feed: what changes in all sessions, numbered, for pages and programs that show lists.
@NullMarked
package dev.belay.server.feed;

import org.jspecify.annotations.NullMarked;

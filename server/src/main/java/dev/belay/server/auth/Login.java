package dev.belay.server.auth;

import dev.belay.access.Principal;
import dev.belay.server.settings.TokenHash;
import org.jspecify.annotations.Nullable;

/// Somebody who has signed in.
///
/// @param root the hash of the token that it all goes back to: tickets and tokens of browser tabs end with it
/// @param tab  the hash of the token of a browser tab, if they signed in with one: it ends with that, too
public record Login(Principal principal, TokenHash root, @Nullable TokenHash tab) {
    public String name() {
        return principal.name();
    }
}

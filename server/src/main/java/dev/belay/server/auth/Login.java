package dev.belay.server.auth;

/// Somebody who has signed in.
///
/// @param root the hash of the token that it all goes back to: tickets and tokens of browser tabs end with it
public record Login(Principal principal, TokenHash root) {
    public String name() {
        return principal.name();
    }
}

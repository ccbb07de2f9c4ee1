package dev.belay.server.settings;

import dev.belay.ErrorCode;
import dev.belay.Isolation;
import dev.belay.Quoted;
import dev.belay.SessionException;
import dev.belay.access.Quota;
import dev.belay.access.Role;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Somebody who may sign in: a name, a role, the hashes of their tokens, and what they may use.
///
/// @param tokens hashes as [TokenHash#text()] writes them
/// @param quota  null: the server's standard quota
/// @param isolation the minimum isolation of its sessions, in addition to the settings'
/// @param approvers who may approve programs of its sessions, besides admins
public record Account(
        String name, Role role, List<TokenHash> tokens, @Nullable Quota quota, Isolation isolation,
        List<String> approvers) {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.@-]{1,64}");

    public Account(String name, Role role, List<TokenHash> tokens, @Nullable Quota quota) {
        this(name, role, tokens, quota, Isolation.NONE, List.of());
    }

    public Account {
        if (!NAME.matcher(name).matches()) {
            throw new SessionException(
                    ErrorCode.INVALID_REQUEST,
                    "A principal's name has 1 to 64 letters, digits, '_', '.', '@' or '-'; " + Quoted.of(name)
                            + " does not.");
        }
        tokens = List.copyOf(tokens);
        approvers = List.copyOf(approvers);
        tokens.forEach(TokenHash::requireToken);
    }
}

package dev.belay.cli.config;

import dev.belay.SessionException;
import dev.belay.server.ServerSettings;
import dev.belay.server.auth.Account;
import dev.belay.server.auth.Quota;
import dev.belay.server.auth.Role;
import dev.belay.server.auth.TokenHash;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// `[quota]` and `[[principals]]`.
final class PrincipalsSection {
    private static final int MANY = 1_000_000;

    private PrincipalsSection() {}

    static ServerSettings read(ServerSettings settings, Section quota, List<Section> principals) {
        Quota standard = quota(settings.quota(), quota);
        List<Account> accounts = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (Section section : principals) {
            Account account = account(standard, section);
            if (!names.add(account.name()) || account.name().equals("admin")) {
                throw section.wrong("name", "the name of nobody else; 'admin' has the token in the state folder");
            }
            accounts.add(account);
        }
        return settings.quota(standard).accounts(accounts);
    }

    private static Account account(Quota standard, Section section) {
        String name = section.text("name").orElseThrow(() -> section.wrong("name", "needed"));
        Role role = role(section);
        List<TokenHash> tokens = new ArrayList<>();
        for (String token : section.texts("tokens").orElse(List.of())) {
            try {
                tokens.add(TokenHash.parse(token));
            } catch (SessionException e) {
                throw section.refused("tokens", e);
            }
        }
        Section quota = section.section("quota");
        Quota own = quota.present() ? quota(standard, quota) : null;
        section.requireNoMore();
        try {
            return new Account(name, role, tokens, own);
        } catch (SessionException e) {
            throw section.refused("name", e);
        }
    }

    private static Role role(Section section) {
        String role = section.text("role").orElse("user");
        return switch (role) {
            case "admin" -> Role.ADMIN;
            case "user" -> Role.USER;
            case "watch" -> Role.WATCH;
            default -> throw section.wrong("role", "\"admin\", \"user\" or \"watch\"");
        };
    }

    private static Quota quota(Quota standard, Section section) {
        Quota quota = new Quota(
                section.count("sessions", 0, MANY).orElse(standard.sessions()),
                section.count("agent_sessions", 0, MANY).orElse(standard.agentSessions()),
                section.count("terminal_sessions", 0, MANY).orElse(standard.terminalSessions()),
                section.count("creations", 1, MANY).orElse(standard.creations()),
                section.positiveTime("per").orElse(standard.per()),
                section.bytes("kept_bytes").orElse(standard.keptBytes()));
        section.requireNoMore();
        return quota;
    }
}

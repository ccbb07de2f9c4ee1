package dev.belay.cli.config;

import static dev.belay.cli.config.Settings.*;

import dev.belay.Approvals;
import dev.belay.ExecPolicy;
import dev.belay.Isolation;
import dev.belay.Limits;
import dev.belay.Origin;
import dev.belay.Resources;
import dev.belay.SessionException;
import dev.belay.Tier;
import dev.belay.access.Quota;
import dev.belay.access.Role;
import dev.belay.agent.AgentSettings;
import dev.belay.agent.ExecRules;
import dev.belay.agent.Policy;
import dev.belay.agent.ReadyRules;
import dev.belay.agent.Rule;
import dev.belay.mcp.Results;
import dev.belay.screens.ScreensLimits;
import dev.belay.server.auth.Authority;
import dev.belay.server.settings.Account;
import dev.belay.server.settings.ServerSettings;
import dev.belay.server.settings.ServerSettings.Binding;
import dev.belay.server.settings.ServerSettings.DoorSettings;
import dev.belay.server.settings.ServerSettings.HttpLimits;
import dev.belay.server.settings.ServerSettings.LoginLimits;
import dev.belay.server.settings.ServerSettings.Tls;
import dev.belay.server.settings.ServerSettings.ViewerLimits;
import dev.belay.server.settings.TokenHash;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Makes a [Config] of a file, by the table of [Settings].
final class SettingsFile {
    private SettingsFile() {}

    static Config read(Table file) {
        return new Config(limits(file), screens(file), resources(file), isolation(file, Isolation.STANDARD),
                by(file), file.get(RUN_AS), approvals(file), server(file), agent(file), Results.of(file.get(RESULTS)),
                file.get(ENV_PASS), file.get(ENV_SET),
                file.get(INSECURE));
    }

    private static Limits limits(Table file) {
        return Config.LIMITS.logBytes(file.get(LOG_BYTES))
                .maxInputBytes(file.bytes(MAX_INPUT_BYTES))
                .writeTimeout(file.get(WRITE_TIMEOUT))
                .timeout(file.get(TIMEOUT).orElse(null))
                .closeGrace(file.get(CLOSE_GRACE))
                .retention(file.get(RETENTION))
                .maxRetained(file.get(MAX_RETAINED));
    }

    private static ScreensLimits screens(Table file) {
        return ScreensLimits.DEFAULT.warmBytes(file.get(SCREEN_MEMORY))
                .warmFor(file.get(SCREEN_WARM_FOR))
                .lateAfter(file.get(SCREEN_LATE_AFTER))
                .lateBytes(file.bytes(SCREEN_LATE_BYTES))
                .repliesPerSecond(file.get(SCREEN_ANSWERS))
                .replyWithin(file.get(SCREEN_ANSWER_WITHIN))
                .thumbnailEvery(file.get(SCREEN_THUMBNAIL_EVERY));
    }

    private static Resources resources(Table file) {
        Resources.Together together = new Resources.Together(
                orNull(file.find(TOGETHER_MEMORY)), number(file.find(TOGETHER_PROCESSES)),
                orNull(file.find(TOGETHER_CORES)));
        return new Resources(
                orNull(file.find(CPU)), orNull(file.find(MEMORY)), orNull(file.find(FILE_SIZE)),
                number(file.find(OPEN_FILES)), number(file.find(PROCESSES)), orNull(file.find(CORE_SIZE)),
                together.unbounded() ? null : together);
    }

    // --- [isolation] ---

    private static Isolation isolation(Table table, Isolation standard) {
        Isolation isolation = standard
                .tier(table.find(TIER).map(tier -> Tier.valueOf(tier.toUpperCase(Locale.ROOT))).orElse(standard.tier()))
                .readOnly(table.find(FILES).map("read-only"::equals).orElse(standard.readOnly()))
                .network(table.find(NETWORK).orElse(standard.network()))
                .readable(table.find(READABLE).map(SettingsFile::paths).orElse(standard.readable()))
                .writable(table.find(WRITABLE).map(SettingsFile::paths).orElse(standard.writable()))
                .hidden(table.find(HIDDEN).map(SettingsFile::paths).orElse(standard.hidden()))
                .tmpBytes(table.find(TMP).orElse(standard.tmpBytes()));
        List<String> kept = table.find(PROTECTED).orElse(standard.protectedPaths());
        try {
            return isolation.protectedPaths(kept);
        } catch (SessionException e) {
            throw table.refused(PROTECTED, e);
        }
    }

    private static List<String> by(Table file) {
        List<String> by = file.get(BY);
        if (by.isEmpty()) {
            throw file.error(BY, "must name what keeps sandboxes: [\"bubblewrap\"]");
        }
        return by;
    }

    private static List<Path> paths(List<String> texts) {
        return texts.stream()
                .map(text -> text.startsWith("~/") ? System.getProperty("user.home") + text.substring(1) : text)
                .map(Path::of)
                .toList();
    }

    // --- [server] ---

    private static ServerSettings server(Table file) {
        int most = file.get(MAX_SESSIONS);
        Quota quota = quota(file, Quota.DEFAULT);
        return ServerSettings.DEFAULT
                .binding(new Binding(file.get(HOST), file.get(PORT), tls(file)))
                .allowedHosts(file.get(ALLOWED_HOSTS))
                .allowedOrigins(file.get(ALLOWED_ORIGINS))
                .http(new HttpLimits(
                        file.bytes(HEADER_BYTES), file.bytes(JSON_BYTES), file.get(JSON_DEPTH),
                        file.get(HEADER_TIMEOUT), file.get(BODY_TIMEOUT), file.get(IDLE_TIMEOUT), file.get(MAX_WAIT),
                        file.get(MAX_CONNECTIONS), file.get(MAX_UNAUTHENTICATED),
                        file.get(MAX_UNAUTHENTICATED_PER_ADDRESS),
                        file.get(CONVERSATIONS), file.get(CONVERSATION_IDLE)))
                .viewers(new ViewerLimits(
                        file.bytes(WINDOW), file.bytes(FRAME), file.get(STALL), file.get(PER_SESSION)))
                .logins(new LoginLimits(
                        file.get(FAILURES), file.get(FAILURES_PER), file.get(TICKET), file.get(CONSOLE_TICKET),
                        file.get(TAB)))
                .doors(new DoorSettings(
                        file.get(TERMINAL_IDLE_TIMEOUT).orElse(null), file.get(TERMINAL_PACE),
                        file.get(TERMINAL_QUEUE), file.get(RECONNECT_GRACE)))
                .maxSessions(most == 0 ? null : (Integer) most)
                .quota(quota)
                .accounts(accounts(file, quota));
    }

    private static @Nullable Tls tls(Table file) {
        Optional<String> certificate = file.find(TLS_CERT);
        Optional<String> key = file.find(TLS_KEY);
        if (certificate.isPresent() != key.isPresent()) {
            throw certificate.isPresent()
                    ? file.error(TLS_CERT, "needs server.tls_key")
                    : file.error(TLS_KEY, "needs server.tls_cert");
        }
        return certificate.isEmpty() ? null : new Tls(Path.of(certificate.get()), Path.of(key.orElseThrow()));
    }

    // --- [quota] and [[principals]] ---

    private static Quota quota(Table table, Quota standard) {
        return new Quota(
                table.find(QUOTA_SESSIONS).orElse(standard.sessions()),
                table.find(QUOTA_AGENT_SESSIONS).orElse(standard.agentSessions()),
                table.find(QUOTA_TERMINAL_SESSIONS).orElse(standard.terminalSessions()),
                table.find(QUOTA_CREATIONS).orElse(standard.creations()),
                table.find(QUOTA_PER).orElse(standard.per()),
                table.find(QUOTA_KEPT_BYTES).orElse(standard.keptBytes()));
    }

    private static List<Account> accounts(Table file, Quota standard) {
        List<Account> accounts = new ArrayList<>();
        Set<String> names = new HashSet<>(Set.of("admin"));
        for (Table entry : file.tables("principals")) {
            Account account = account(entry, standard, isolation(file, Isolation.STANDARD));
            if (!names.add(account.name())) {
                throw entry.error(PRINCIPAL_NAME, account.name().equals("admin")
                        ? "cannot be 'admin': its token is in the state folder"
                        : "is taken by another principal");
            }
            accounts.add(account);
            try {
                Authority.byToken(accounts);
            } catch (SessionException e) {
                throw entry.refused(PRINCIPAL_TOKENS, e);
            }
        }
        return accounts;
    }

    private static Account account(Table entry, Quota standard, Isolation everybody) {
        String name = entry.require(PRINCIPAL_NAME);
        Role role = Role.valueOf(entry.find(PRINCIPAL_ROLE).orElse("user").toUpperCase(Locale.ROOT));
        List<TokenHash> tokens = new ArrayList<>();
        for (String token : entry.find(PRINCIPAL_TOKENS).orElse(List.of())) {
            try {
                tokens.add(TokenHash.parse(token));
            } catch (SessionException e) {
                throw entry.refused(PRINCIPAL_TOKENS, e);
            }
        }
        Quota quota = entry.table(PRINCIPAL_QUOTA, "quota").map(own -> quota(own, standard)).orElse(null);
        Isolation isolation = entry.table(PRINCIPAL_ISOLATION, "isolation")
                .map(own -> isolation(own, everybody))
                .orElse(everybody);
        List<String> approvers = entry.find(PRINCIPAL_APPROVERS).orElse(List.of());
        try {
            return new Account(name, role, tokens, quota, isolation.within(everybody), approvers);
        } catch (SessionException e) {
            throw entry.refused(PRINCIPAL_NAME, e);
        }
    }

    // --- [agent] ---

    private static AgentSettings agent(Table file) {
        Map<String, String> env =
                new HashMap<>(file.get(PROFILE).equals("agent") ? AgentSettings.PROFILE : Map.of());
        env.putAll(file.find(AGENT_ENV).orElse(Map.of()));
        return AgentSettings.DEFAULT
                .maxSessions(file.get(AGENT_SESSIONS))
                .idleTimeout(file.get(AGENT_IDLE))
                .maxCall(file.get(MAX_CALL))
                .yields(file.get(YIELD), file.get(TOOLCHAIN_YIELD), file.get(POLL))
                .env(env)
                .shell(file.get(SHELL))
                .policy(Policy.of(rules(file), file.get(WATCH).contains(Origin.AGENT.label())));
    }

    // --- [approvals] and [[agent.rules]] ---

    private static Approvals.Settings approvals(Table file) {
        Set<Origin> watch = file.get(WATCH).stream()
                .map(label -> Origin.valueOf(label.toUpperCase(Locale.ROOT))).collect(Collectors.toSet());
        return new Approvals.Settings(
                watch, ExecRules.of(rules(file), action(file.get(OTHERWISE))), file.get(APPROVAL_TIMEOUT),
                file.get(MAX_PENDING), file.get(MAX_WAITING));
    }

    private static ExecPolicy.Action action(String word) {
        return ExecPolicy.Action.valueOf(word.toUpperCase(Locale.ROOT));
    }

    private static List<Rule> rules(Table file) {
        return file.tables("agent.rules").stream().flatMap(entry -> rulesOf(entry).stream()).toList();
    }

    private static List<Rule> rulesOf(Table entry) {
        String ready = entry.find(RULE_READY).orElse(null);
        String name = ready == null ? entry.require(RULE_NAME) : entry.find(RULE_NAME).orElse(ready);
        ExecPolicy.Action action = action(entry.find(RULE_ACTION).orElse("deny"));
        List<String> programs = entry.find(RULE_PROGRAMS).orElse(List.of());
        String match = entry.find(RULE_MATCH).orElse(null);
        List<String> args = entry.find(RULE_ARGS).orElse(List.of());
        List<String> has = entry.find(RULE_HAS).orElse(List.of());
        String workdir = entry.find(RULE_WORKDIR).orElse(null);
        List<String> principals = entry.find(RULE_PRINCIPALS).orElse(List.of());
        if (ready != null && !(programs.isEmpty() && args.isEmpty() && has.isEmpty() && match == null)) {
            throw entry.error(RULE_READY, "does not go with programs, args, has or match; write two rules");
        }
        try {
            return ready == null
                    ? List.of(Rule.of(name, action, programs, match, args, has, workdir, principals))
                    : ReadyRules.of(ready).rules(name, action, workdir, principals);
        } catch (SessionException e) {
            throw entry.refused(ready == null ? RULE_NAME : RULE_READY, e);
        }
    }

    private static <T> @Nullable T orNull(Optional<T> value) {
        return value.orElse(null);
    }

    private static @Nullable Long number(Optional<Integer> value) {
        return value.map(Integer::longValue).orElse(null);
    }
}

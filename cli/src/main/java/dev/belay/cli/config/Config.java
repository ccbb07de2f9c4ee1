package dev.belay.cli.config;

import dev.belay.Approvals;
import dev.belay.Environment;
import dev.belay.ErrorCode;
import dev.belay.Guard;
import dev.belay.Isolation;
import dev.belay.Limits;
import dev.belay.Resources;
import dev.belay.SessionException;
import dev.belay.agent.AgentSettings;
import dev.belay.linux.LinuxHost;
import dev.belay.linux.Machine;
import dev.belay.mcp.Results;
import dev.belay.screens.ScreensLimits;
import dev.belay.server.settings.Account;
import dev.belay.server.settings.ServerSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// All settings: the defaults, overridden by `belay.toml`. The table in [Settings] maps each setting to its part.
///
/// @param limits    limits of the sessions
/// @param screens   limits of their screens
/// @param resources limits of the processes of a session
/// @param isolation the least isolation of all sessions
/// @param by        what may keep sandboxes, the preferred first
/// @param runAs     the user of sandboxes; empty: Belay's own
/// @param approvals which sessions are watched, and who may start what in them
/// @param server    settings of the server
/// @param agent     settings of the agent tools
/// @param results   what the answers of the agent tools carry
/// @param pass      names of Belay's own variables that every session gets
/// @param env       variables that every session gets
/// @param insecure  whether to listen beyond loopback without encryption
public record Config(Limits limits, ScreensLimits screens, Resources resources, Isolation isolation,
        List<String> by, String runAs, Approvals.Settings approvals, ServerSettings server, AgentSettings agent,
        Results results, List<String> pass, Map<String, String> env, boolean insecure) {
    /// Limits of the sessions of a server. The machine's room and the quotas limit their number, not this.
    public static final Limits LIMITS = Limits.DEFAULT.maxSessions(100_000);

    /// The settings without a file.
    public static final Config DEFAULT =
            new Config(LIMITS, ScreensLimits.DEFAULT, Resources.AS_BELAY, Isolation.STANDARD, List.of("bubblewrap"), "",
                    Approvals.Settings.DEFAULT, ServerSettings.DEFAULT, AgentSettings.DEFAULT,
                    Results.TEXT, List.of(), Map.of(), false);

    /// Reads the named file, or the user's own file, or uses the defaults.
    public static Config read(@Nullable Path asked, Map<String, String> env) {
        return file(asked, env).map(Config::read).orElse(DEFAULT);
    }

    /// The named file, or the user's own if it exists: `$XDG_CONFIG_HOME/belay/belay.toml`, or
    /// `~/.config/belay/belay.toml`.
    public static Optional<Path> file(@Nullable Path asked, Map<String, String> env) {
        if (asked != null) {
            return Optional.of(asked);
        }
        return Optional.of(standardFile(env)).filter(Files::exists);
    }

    /// Where a user's settings are, if no other file is named. It need not exist.
    public static Path standardFile(Map<String, String> env) {
        String xdg = env.getOrDefault("XDG_CONFIG_HOME", "");
        Path base = xdg.startsWith("/") ? Path.of(xdg) : Path.of(System.getProperty("user.home"), ".config");
        return base.resolve("belay").resolve("belay.toml");
    }

    /// Reads a file.
    public static Config read(Path file) {
        try {
            return parse(Files.readString(file), String.valueOf(file.getFileName()));
        } catch (IOException e) {
            throw new SessionException(
                    ErrorCode.INVALID_REQUEST, "Cannot read the settings " + file + ": " + e, Map.of(), e);
        }
    }

    /// @param name the name of the file in errors
    static Config parse(String text, String name) {
        return SettingsFile.read(Table.parse(text, name));
    }

    /// Refuses limits that this machine cannot enforce: otherwise every session would be refused.
    ///
    /// @return these
    public Config requireKept() {
        try {
            Machine.controlGroups().require(resources);
            return this;
        } catch (SessionException e) {
            throw new SessionException(
                    e.code(), "This machine cannot enforce [resources.together]. " + e.getMessage());
        }
    }

    /// The isolations that sessions may get by these settings: that of all, and those of principals.
    public List<Isolation> isolations() {
        return Stream.concat(Stream.of(isolation), server.accounts().stream().map(Account::isolation))
                .distinct()
                .toList();
    }

    /// The least isolation of all sessions of a workspace. If the settings themselves are in it, sandboxes may not
    /// change them: they could let themselves out.
    ///
    /// @param file the settings, if there are any
    public Isolation isolation(Path workspace, Optional<Path> file) {
        return file.map(Config::withoutLinksAbove)
                .filter(own -> own.startsWith(workspace))
                .map(own -> workspace.relativize(own).toString())
                .map(own -> isolation.protectedPaths(
                        Stream.concat(isolation.protectedPaths().stream(), Stream.of(own)).distinct().toList()))
                .orElse(isolation);
    }

    private static Path withoutLinksAbove(Path file) {
        Path absolute = file.toAbsolutePath();
        try {
            return Objects.requireNonNull(absolute.getParent()).toRealPath()
                    .resolve(Objects.requireNonNull(absolute.getFileName()));
        } catch (IOException e) {
            throw new SessionException(
                    ErrorCode.INVALID_REQUEST, "Cannot read the settings " + file + ": " + e, Map.of(), e);
        }
    }

    /// Refuses isolations that a host cannot keep: otherwise sessions would be refused later.
    public void requireKept(LinuxHost host) {
        try {
            boolean watched = !approvals.watch().isEmpty();
            isolations().forEach(one -> host.requireGuard(Guard.NONE.isolation(one).watched(watched), List.of()));
        } catch (SessionException e) {
            throw new SessionException(
                    e.code(), "This machine cannot enforce [isolation] or [approvals]. " + e.getMessage(), e.details());
        }
    }

    /// A host that keeps these settings.
    public LinuxHost host(Path workspace) {
        LinuxHost host = LinuxHost.inOwnProcess(workspace).sandboxedBy(by);
        return runAs.isEmpty() ? host : host.runAs(runAs);
    }

    /// The environment of sessions: what they inherit, and what these settings name.
    ///
    /// @param inherited a part of the caller's variables
    public Environment environment(Environment inherited, Map<String, String> caller) {
        Map<String, String> passed = new HashMap<>(caller);
        passed.keySet().retainAll(pass);
        return inherited.with(passed).with(env);
    }

    /// These settings, overridden by arguments: where to listen, and whether encryption may be missing.
    public Config over(ServerSettings.Binding binding, boolean insecurely) {
        return new Config(
                limits, screens, resources, isolation, by, runAs, approvals, server.binding(binding), agent, results,
                pass, env, insecure || insecurely);
    }

    /// The names of the settings that differ. Entries of lists go by their names: `principals.alice`.
    public List<String> changed(Config others) {
        TreeSet<String> names = new TreeSet<>();
        SettingNames.all().stream().filter(setting -> setting.differs(this, others))
                .forEach(setting -> names.add(setting.name()));
        if (!agent.policy().equals(others.agent.policy())) {
            names.add("agent.rules");
        }
        Set<Account> accounts = new HashSet<>(server.accounts());
        others.server.accounts().stream().filter(account -> !accounts.remove(account)).forEach(accounts::add);
        accounts.forEach(account -> names.add("principals." + account.name()));
        return List.copyOf(names);
    }

    /// The names of the settings that differ and that a running server cannot change.
    public List<String> restartNeeded(Config others) {
        return SettingNames.all().stream()
                .filter(setting -> setting.restart() && setting.differs(this, others))
                .map(Setting::name)
                .toList();
    }

    /// A settings file with every setting, its default and its explanation.
    public static String template() {
        return Template.text();
    }
}

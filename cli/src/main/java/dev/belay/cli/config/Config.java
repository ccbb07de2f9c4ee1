package dev.belay.cli.config;

import dev.belay.ErrorCode;
import dev.belay.Limits;
import dev.belay.Resources;
import dev.belay.SessionException;
import dev.belay.agent.AgentSettings;
import dev.belay.linux.Machine;
import dev.belay.server.ServerSettings;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.tomlj.Toml;
import org.tomlj.TomlParseError;
import org.tomlj.TomlParseResult;

/// Everything that `belay.toml` says, over the defaults.
///
/// @param limits   of the sessions
/// @param resources what the processes of a session may use
/// @param server   of the server
/// @param agent    how the agent tools behave
/// @param env      variables that every session gets
/// @param insecure whether to listen beyond loopback without encryption
public record Config(Limits limits, Resources resources, ServerSettings server, AgentSettings agent,
        Map<String, String> env,
        boolean insecure) {
    /// The sessions of a server; the machine's room and the quotas bound their number, not this.
    public static final Limits LIMITS = Limits.DEFAULT.maxSessions(100_000);

    /// What holds where there is no file.
    public static final Config DEFAULT =
            new Config(LIMITS, Resources.AS_BELAY, ServerSettings.DEFAULT, AgentSettings.DEFAULT, Map.of(), false);

    /// What the file says that was asked for, else the user's own, else what holds without one.
    public static Config read(@Nullable Path asked, Map<String, String> env) {
        return file(asked, env).map(Config::read).orElse(DEFAULT);
    }

    /// The file that was asked for, else the user's own where there is one: `$XDG_CONFIG_HOME/belay/belay.toml`, or
    /// `~/.config/belay/belay.toml`.
    public static Optional<Path> file(@Nullable Path asked, Map<String, String> env) {
        if (asked != null) {
            return Optional.of(asked);
        }
        String xdg = env.getOrDefault("XDG_CONFIG_HOME", "");
        Path base = xdg.startsWith("/") ? Path.of(xdg) : Path.of(System.getProperty("user.home"), ".config");
        return Optional.of(base.resolve("belay").resolve("belay.toml")).filter(Files::exists);
    }

    /// Reads a file.
    public static Config read(Path file) {
        try {
            return parse(Files.readString(file), String.valueOf(file.getFileName()));
        } catch (IOException e) {
            throw new SessionException(
                    ErrorCode.INVALID_REQUEST, "The settings " + file + " cannot be read: " + e, Map.of(), e);
        }
    }

    /// @param name what errors call the text
    static Config parse(String text, String name) {
        TomlParseResult parsed = Toml.parse(text);
        if (parsed.hasErrors()) {
            TomlParseError error = parsed.errors().getFirst();
            throw new SessionException(
                    ErrorCode.INVALID_REQUEST,
                    name + ":" + error.position().line() + ":" + error.position().column() + ": "
                            + String.valueOf(error.getMessage()).lines().findFirst().orElse("not TOML") + ".");
        }
        return of(new Section(name, "", parsed));
    }

    private static Config of(Section file) {
        Section sessions = file.section("sessions");
        Limits limits = SessionsSection.limits(sessions);
        ServerSettings settings = SessionsSection.doors(ServerSettings.DEFAULT, sessions);
        sessions.requireNoMore();
        Resources resources = SessionsSection.resources(file.section("resources"));
        Section server = file.section("server");
        settings = ServerSection.read(settings, server);
        boolean insecure = server.flag("insecure").orElse(false);
        server.requireNoMore();
        settings = PrincipalsSection.read(settings, file.section("quota"), file.sections("principals"));
        AgentSettings agent = AgentSection.read(file.section("agent"));
        Section env = file.section("env");
        Map<String, String> variables = env.map("set");
        env.requireNoMore();
        file.requireNoMore();
        return new Config(limits, resources, settings, agent, variables, insecure);
    }

    /// Refuses settings that this machine cannot keep: else every session would be refused.
    ///
    /// @return these
    public Config requireKept() {
        try {
            Machine.controlGroups().require(resources);
            return this;
        } catch (SessionException e) {
            throw new SessionException(
                    e.code(), "[resources.together] of the settings cannot be kept here. " + e.getMessage());
        }
    }

    /// The names of the settings that a server of these takes from others only when it is started anew.
    public List<String> fixedUnlike(Config others) {
        Map<String, Object> theirs = others.fixed();
        return fixed().entrySet().stream()
                .filter(entry -> !entry.getValue().equals(theirs.get(entry.getKey())))
                .map(Map.Entry::getKey)
                .sorted()
                .toList();
    }

    private Map<String, Object> fixed() {
        ServerSettings.Binding binding = server.binding();
        ServerSettings.HttpLimits http = server.http();
        return Map.of(
                "server.host", binding.host(),
                "server.port", binding.port(),
                "server.tls_cert, server.tls_key", Optional.ofNullable(binding.tls()),
                "server.http.header_bytes", http.headerBytes(),
                "server.http.header_timeout", http.headerTimeout(),
                "server.http.idle_timeout", http.idleTimeout(),
                "server.http.max_connections", http.maxConnections(),
                "sessions.max_input_bytes", limits.maxInputBytes(),
                "env.set", env);
    }

    /// The file with every setting at its default, explained.
    public static String reference() {
        try (InputStream in = Config.class.getResourceAsStream("/dev/belay/cli/config/belay.toml")) {
            return read(in);
        } catch (IOException e) {
            throw new SessionException(ErrorCode.INTERNAL, "The reference of the settings is missing.", Map.of(), e);
        }
    }

    private static String read(@Nullable InputStream in) throws IOException {
        if (in == null) {
            throw new IOException("not in the build");
        }
        return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
}

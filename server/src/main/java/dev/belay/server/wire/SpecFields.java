package dev.belay.server.wire;

import dev.belay.Guard;
import dev.belay.Isolation;
import dev.belay.Mode;
import dev.belay.Network;
import dev.belay.Origin;
import dev.belay.Resources;
import dev.belay.SessionSpec;
import dev.belay.Size;
import dev.belay.Tier;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What clients send to open or resize a session, the same at every door.
public final class SpecFields {
    private SpecFields() {}

    /// What a program asks to be opened, in the body of `POST /api/sessions` or in a message.
    public static SessionSpec ofProgram(RequestFields body) {
        Resources resources = body.object("resources").map(SpecFields::resources).orElse(Resources.AS_BELAY);
        return spec(body).origin(Origin.API).resources(resources);
    }

    /// What a client asks to be opened: `command` with its arguments, or `cmd` for a shell; neither: a login shell.
    public static SessionSpec spec(RequestFields body) {
        List<String> command = command(body.texts("command").orElse(null), body.text("cmd").orElse(null));
        SessionSpec spec = SessionSpec.of(command)
                .workdir(body.text("workdir").orElse("."))
                .env(body.map("env"))
                .mode(mode(body))
                .timeout(body.millis("timeout_ms").orElse(null))
                .idleTimeout(body.millis("idle_timeout_ms").orElse(null))
                .keep(body.flag("keep").orElse(false))
                .guard(body.object("guard").map(SpecFields::guard).orElse(Guard.NONE));
        for (Map.Entry<String, String> label : body.map("labels").entrySet()) {
            spec = spec.label(label.getKey(), label.getValue());
        }
        String id = body.text("id").orElse(null);
        body.requireNoMore();
        return id == null ? spec : spec.id(id);
    }

    /// The limits that a client asks for.
    public static Resources resources(RequestFields body) {
        Resources resources = new Resources(
                body.millis("cpu_ms").orElse(null),
                body.number("memory_bytes").orElse(null),
                body.number("file_bytes").orElse(null),
                body.number("open_files").orElse(null),
                body.number("processes").orElse(null),
                body.number("core_bytes").orElse(null),
                body.object("together").map(SpecFields::together).orElse(null));
        body.requireNoMore();
        return resources;
    }

    private static Resources.Together together(RequestFields body) {
        Resources.Together together = new Resources.Together(
                body.number("memory_bytes").orElse(null),
                body.number("processes").orElse(null),
                body.decimal("cores").orElse(null));
        body.requireNoMore();
        return together;
    }

    /// The restrictions that a client asks for; the settings may add to them.
    private static Guard guard(RequestFields body) {
        boolean watched = body.flag("watched").orElse(false);
        // Who names a guard without a tier wants a sandbox, unless it is only to be watched.
        Tier tier = switch (body.text("tier").orElse(watched ? "none" : "sandbox")) {
            case "none" -> Tier.NONE;
            case "limits" -> Tier.LIMITS;
            case "sandbox" -> Tier.SANDBOX;
            default -> throw Requests.invalid("guard.tier must be none, limits or sandbox.");
        };
        boolean readOnly = switch (body.text("files").orElse("workspace")) {
            case "workspace" -> false;
            case "read-only" -> true;
            default -> throw Requests.invalid("guard.files must be workspace or read-only.");
        };
        Network network = switch (body.text("network").orElse("off")) {
            case "off" -> new Network.Off();
            case "on" -> new Network.On();
            default -> throw Requests.invalid("guard.network must be on or off; name hosts in guard.hosts.");
        };
        List<String> hosts = body.texts("hosts").orElse(List.of());
        body.requireNoMore();
        return Guard.NONE.watched(watched).isolation(Isolation.NONE.tier(tier)
                .readOnly(readOnly)
                .network(hosts.isEmpty() ? network : new Network.Hosts(hosts)));
    }

    private static List<String> command(@Nullable List<String> command, @Nullable String cmd) {
        if (command != null && cmd != null) {
            throw Requests.invalid("Give command or cmd, not both.");
        }
        if (command != null) {
            return command;
        }
        String shell = System.getenv().getOrDefault("SHELL", "/bin/sh");
        return cmd != null ? List.of("/bin/sh", "-c", cmd) : List.of(shell, "-l");
    }

    private static Mode mode(RequestFields body) {
        String mode = body.text("mode").orElse("pty");
        Size size = size(body);
        return switch (mode.toLowerCase(Locale.ROOT)) {
            case "pty" -> new Mode.Pty(size);
            case "pipe" -> new Mode.Pipe();
            default -> throw Requests.invalid("mode must be pty or pipe.");
        };
    }

    /// The size that a client asks for.
    public static Size resize(RequestFields body) {
        if (body.count("cols").isEmpty() || body.count("rows").isEmpty()) {
            throw Requests.invalid("A resize needs cols and rows.");
        }
        return size(body);
    }

    private static Size size(RequestFields body) {
        return new Size(
                body.count("cols").orElse(Size.DEFAULT.cols()), body.count("rows").orElse(Size.DEFAULT.rows()));
    }
}

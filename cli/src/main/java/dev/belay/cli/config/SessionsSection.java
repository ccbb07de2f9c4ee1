package dev.belay.cli.config;

import dev.belay.Limits;
import dev.belay.Resources;
import dev.belay.server.ServerSettings;
import dev.belay.server.ServerSettings.DoorSettings;
import org.jspecify.annotations.Nullable;

/// `[sessions]` and `[resources]`.
final class SessionsSection {
    private SessionsSection() {}

    static Limits limits(Section section) {
        Limits standard = Config.LIMITS;
        return standard.logBytes(section.bytes("log_bytes").map(value -> {
            if (value < Limits.MIN_LOG_BYTES) {
                throw section.wrong("log_bytes", "at least " + Limits.MIN_LOG_BYTES);
            }
            return value;
        }).orElse(standard.logBytes()))
                .maxInputBytes(section.bytes("max_input_bytes").map(value -> {
                    if (value < 1 || value > 64 << 20) {
                        throw section.wrong("max_input_bytes", "from 1 byte to 64 MiB");
                    }
                    return value.intValue();
                }).orElse(standard.maxInputBytes()))
                .writeTimeout(section.time("write_timeout").orElse(standard.writeTimeout()))
                .closeGrace(section.time("close_grace").orElse(standard.closeGrace()))
                .retention(section.time("retention").orElse(standard.retention()))
                .maxRetained(section.count("max_retained", 0, 1_000_000).orElse(standard.maxRetained()));
    }

    static ServerSettings doors(ServerSettings settings, Section section) {
        DoorSettings standard = settings.doors();
        int most = section.count("max_sessions", 0, 100_000).orElse(0);
        return settings.maxSessions(most == 0 ? null : (Integer) most)
                .doors(new DoorSettings(
                        section.timeOrNone("terminal_idle_timeout", standard.terminalIdleTimeout()),
                        section.time("terminal_pace").orElse(standard.terminalPace()),
                        section.count("terminal_queue", 0, 1000).orElse(standard.terminalQueue()),
                        section.time("reconnect_grace").orElse(standard.reconnectGrace())));
    }

    /// Of all processes of a session together; null where nothing is said.
    private static Resources.@Nullable Together together(Section section) {
        Resources.Together together = new Resources.Together(
                section.bytes("memory").orElse(null),
                section.bytes("processes").orElse(null),
                section.decimal("cores").orElse(null));
        section.requireNoMore();
        return together.equals(Resources.Together.UNBOUNDED) ? null : together;
    }

    static Resources resources(Section section) {
        Resources all = new Resources(
                section.positiveTime("cpu").orElse(null),
                section.bytes("memory").orElse(null),
                section.bytes("file_size").orElse(null),
                section.bytes("open_files").orElse(null),
                section.bytes("processes").orElse(null),
                section.bytes("core_size").orElse(null),
                together(section.section("together")));
        section.requireNoMore();
        return all;
    }
}

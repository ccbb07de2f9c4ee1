package dev.belay.cli.config;

import dev.belay.Limits;
import dev.belay.Resources;
import dev.belay.SessionException;
import dev.belay.server.ServerSettings;
import dev.belay.server.ServerSettings.DoorSettings;
import java.util.Optional;
import java.util.function.Function;
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
                .timeout(section.timeOrNone("timeout", standard.timeout()))
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

    static Resources resources(Section section) {
        Resources all = Resources.AS_BELAY;
        all = with(section, "cpu", section.positiveTime("cpu"), all, all::cpu);
        all = with(section, "memory", section.bytes("memory"), all, all::memoryBytes);
        all = with(section, "file_size", section.bytes("file_size"), all, all::fileBytes);
        all = with(section, "open_files", section.bytes("open_files"), all, all::openFiles);
        all = with(section, "processes", section.bytes("processes"), all, all::processes);
        all = with(section, "core_size", section.bytes("core_size"), all, all::coreBytes);
        all = all.together(together(section.section("together")));
        section.requireNoMore();
        return all;
    }

    /// Of all processes of a session together; null where nothing is said.
    private static Resources.@Nullable Together together(Section section) {
        Resources.Together all = Resources.Together.UNBOUNDED;
        all = with(section, "memory", section.bytes("memory"), all, all::memoryBytes);
        all = with(section, "processes", section.bytes("processes"), all, all::processes);
        all = with(section, "cores", section.decimal("cores"), all, all::cores);
        section.requireNoMore();
        return all.equals(Resources.Together.UNBOUNDED) ? null : all;
    }

    /// What is said of a key, over the rest; what nobody can be limited to is refused where it stands.
    private static <T, R> R with(Section section, String key, Optional<T> value, R rest, Function<T, R> over) {
        try {
            return value.map(over).orElse(rest);
        } catch (SessionException e) {
            throw section.refused(key, e);
        }
    }
}

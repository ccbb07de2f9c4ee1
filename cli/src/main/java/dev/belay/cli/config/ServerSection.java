package dev.belay.cli.config;

import dev.belay.server.ServerSettings;
import dev.belay.server.ServerSettings.Binding;
import dev.belay.server.ServerSettings.HttpLimits;
import dev.belay.server.ServerSettings.LoginLimits;
import dev.belay.server.ServerSettings.Tls;
import dev.belay.server.ServerSettings.ViewerLimits;
import java.nio.file.Path;
import java.util.Optional;

/// `[server]` and what is in it.
final class ServerSection {
    private static final int MEBIBYTE = 1 << 20;

    private ServerSection() {}

    static ServerSettings read(ServerSettings settings, Section section) {
        Binding standard = settings.binding();
        Optional<String> certificate = section.text("tls_cert");
        Optional<String> key = section.text("tls_key");
        if (certificate.isPresent() != key.isPresent()) {
            throw section.wrong(certificate.isPresent() ? "tls_cert" : "tls_key", "given together with the other one");
        }
        Tls tls = certificate.map(file -> new Tls(Path.of(file), Path.of(key.orElse("")))).orElse(null);
        return settings.binding(new Binding(
                section.text("host").orElse(standard.host()),
                section.count("port", 0, 65_535).orElse(standard.port()),
                tls))
                .allowedHosts(section.texts("allowed_hosts").orElse(settings.allowedHosts()))
                .allowedOrigins(section.texts("allowed_origins").orElse(settings.allowedOrigins()))
                .http(http(settings.http(), section.section("http")))
                .viewers(viewers(settings.viewers(), section.section("viewers")))
                .logins(logins(settings.logins(), section.section("logins")));
    }

    private static HttpLimits http(HttpLimits standard, Section section) {
        HttpLimits limits = new HttpLimits(
                bytes(section, "header_bytes", standard.headerBytes(), 1024, MEBIBYTE),
                bytes(section, "json_bytes", standard.jsonBytes(), 1024, 64 * MEBIBYTE),
                section.count("json_depth", 2, 1000).orElse(standard.jsonDepth()),
                section.positiveTime("header_timeout").orElse(standard.headerTimeout()),
                section.positiveTime("body_timeout").orElse(standard.bodyTimeout()),
                section.positiveTime("idle_timeout").orElse(standard.idleTimeout()),
                section.positiveTime("max_wait").orElse(standard.maxWait()),
                section.count("max_connections", 1, 1_000_000).orElse(standard.maxConnections()),
                section.count("conversations", 1, 1_000_000).orElse(standard.conversations()),
                section.positiveTime("conversation_idle").orElse(standard.conversationIdle()));
        section.requireNoMore();
        return limits;
    }

    private static ViewerLimits viewers(ViewerLimits standard, Section section) {
        ViewerLimits limits = new ViewerLimits(
                bytes(section, "window", standard.windowBytes(), 4096, 64 * MEBIBYTE),
                bytes(section, "frame", standard.frameBytes(), 1024, MEBIBYTE),
                section.positiveTime("stall").orElse(standard.stall()),
                section.count("per_session", 1, 100_000).orElse(standard.perSession()));
        section.requireNoMore();
        return limits;
    }

    private static LoginLimits logins(LoginLimits standard, Section section) {
        LoginLimits limits = new LoginLimits(
                section.count("failures", 1, 100_000).orElse(standard.failures()),
                section.positiveTime("per").orElse(standard.per()),
                section.positiveTime("ticket").orElse(standard.ticket()),
                section.positiveTime("console_ticket").orElse(standard.console()),
                section.positiveTime("tab").orElse(standard.tab()));
        section.requireNoMore();
        return limits;
    }

    private static int bytes(Section section, String key, int standard, int least, int most) {
        return section.bytes(key).map(value -> {
            if (value < least || value > most) {
                throw section.wrong(key, "from " + least + " to " + most + " bytes");
            }
            return value.intValue();
        }).orElse(standard);
    }
}

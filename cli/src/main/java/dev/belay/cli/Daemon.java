package dev.belay.cli;

import dev.belay.Environment;
import dev.belay.SessionException;
import dev.belay.Sessions;
import dev.belay.agent.AgentSettings;
import dev.belay.cli.config.Config;
import dev.belay.linux.LinuxHost;
import dev.belay.linux.Terminal;
import dev.belay.server.Server;
import dev.belay.server.ServerSettings;
import dev.belay.server.auth.Account;
import dev.belay.server.auth.Role;
import dev.belay.server.auth.TokenHash;
import dev.belay.server.logs.EventLog;
import dev.belay.server.mcp.McpDoor;
import dev.belay.server.metrics.ServerMetrics;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/// A server in the foreground, until it is told to end.
///
/// SIGTERM and Ctrl-C drain it, a second one hurries; SIGHUP reads the settings again.
final class Daemon {
    private static final int STDERR = 2;

    private final Path state;
    private final Path workspace;
    private final Config config;
    private final Supplier<Config> again;
    private final CountDownLatch told = new CountDownLatch(1);
    private final AtomicInteger signals = new AtomicInteger();
    private volatile AgentSettings agent;

    /// @param again reads the settings again
    Daemon(Path state, Path workspace, Config config, Supplier<Config> again) {
        this.state = state;
        this.workspace = workspace;
        this.config = config;
        this.agent = config.agent();
        this.again = again;
    }

    int run() throws IOException, InterruptedException {
        String token = TokenFile.in(state).token();
        ServerMetrics metrics = new ServerMetrics();
        EventLog log = Terminal.isTerminal(STDERR)
                ? EventLog.words(System.err)
                : EventLog.json(System.err);
        Sessions sessions = Sessions.builder(LinuxHost.at(workspace))
                .state(state)
                .environment(Environment.basic(System.getenv()).with(config.env()))
                .limits(config.limits())
                .resources(config.resources())
                .observer(metrics)
                .observer(log)
                .build();
        String version = BelayCommand.version();
        Server server = Server.builder(sessions)
                .settings(withAdmin(config.server(), token))
                .capacity(new MachineRoom(() -> sessions.stats().permitsUsed()))
                .metrics(metrics)
                .events(log)
                .version(version)
                .mount(McpDoor.PATH, one -> new McpDoor(one, () -> agent, version))
                .build();
        try {
            String address = server.start();
            onSignals(server, sessions, token, log);
            announce(server, address, token);
            if (sessions.stats().orphans() > 0) {
                log.log("orphans_ended", Map.of("count", sessions.stats().orphans()));
            }
            told.await();
        } finally {
            server.close();
        }
        log.log("stopped", Map.of());
        return 0;
    }

    private static void announce(Server server, String address, String token) {
        String ticket = server.authority()
                .consoleTicket(server.authority().token(token, InetAddress.getLoopbackAddress()))
                .text();
        System.out.println("Belay is listening on " + address);
        // After the '#': what stands there never leaves the browser, so it is in nobody's log.
        System.out.println("Console: " + address + "#ticket=" + ticket + " (good once, for 10 minutes)");
        System.out.flush();
    }

    private void onSignals(Server server, Sessions sessions, String token, EventLog log) {
        Signals.onTerminate(() -> {
            if (signals.getAndIncrement() == 0) {
                log.log("draining", Map.of());
                told.countDown();
            } else {
                server.hurry();
            }
        });
        Signals.onHangUp(() -> reload(server, sessions, token, log));
    }

    /// What cannot be read changes nothing.
    private void reload(Server server, Sessions sessions, String token, EventLog log) {
        try {
            Config now = again.get();
            sessions.limits(now.limits());
            sessions.resources(now.resources());
            agent = now.agent();
            server.reload(withAdmin(now.server(), token));
            log.log("reloaded", Map.of("principals", now.server().accounts().size() + 1));
            List<String> later = config.fixedUnlike(now);
            if (!later.isEmpty()) {
                log.log("restart_needed", Map.of("settings", later));
            }
        } catch (SessionException e) {
            log.log("reload_failed", Map.of("message", String.valueOf(e.getMessage())));
        }
    }

    private static ServerSettings withAdmin(ServerSettings settings, String token) {
        List<Account> accounts = new ArrayList<>(settings.accounts());
        accounts.add(new Account("admin", Role.ADMIN, List.of(TokenHash.of(token)), null));
        return settings.accounts(accounts);
    }
}

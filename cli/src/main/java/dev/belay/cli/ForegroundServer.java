package dev.belay.cli;

import dev.belay.Environment;
import dev.belay.SessionException;
import dev.belay.Sessions;
import dev.belay.access.Role;
import dev.belay.cli.config.Config;
import dev.belay.linux.LinuxHost;
import dev.belay.linux.OwnTerminal;
import dev.belay.screens.Screens;
import dev.belay.server.Server;
import dev.belay.server.auth.Authority;
import dev.belay.server.logs.EventLog;
import dev.belay.server.mcp.McpDoor;
import dev.belay.server.metrics.ServerMetrics;
import dev.belay.server.settings.Account;
import dev.belay.server.settings.Reloaded;
import dev.belay.server.settings.ServerSettings;
import dev.belay.server.settings.TokenHash;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/// A server in the foreground.
///
/// SIGTERM or Ctrl-C closes all sessions with their grace and ends it; a second one kills what is left at once. SIGHUP
/// and `belay reload` read the settings again.
final class ForegroundServer {
    /// How the first line that a server prints begins; its address follows.
    static final String LISTENING = "Belay is listening on ";

    private static final int STDERR = 2;

    private final Path state;
    private final Path workspace;
    /// The settings that it was started with.
    private final Config started;
    private final Optional<Path> file;
    private final Supplier<Config> again;
    private final CountDownLatch told = new CountDownLatch(1);
    private final AtomicInteger signals = new AtomicInteger();
    /// One reload at a time.
    private final ReentrantLock reloading = new ReentrantLock();
    private volatile Config config;

    /// @param file  the settings file, if there is one
    /// @param again reads the settings again
    ForegroundServer(Path state, Path workspace, Config config, Optional<Path> file, Supplier<Config> again) {
        this.file = file;
        this.state = state;
        this.workspace = workspace;
        this.started = config;
        this.config = config;
        this.again = again;
    }

    int run() throws IOException, InterruptedException {
        EventLog log = OwnTerminal.isTerminal(STDERR)
                ? EventLog.words(System.err)
                : EventLog.json(System.err);
        StderrLogs.sendTo(log);
        try (ErrorStream _ = ErrorStream.takeOver()) {
            return run(log);
        } finally {
            StderrLogs.sendTo(null);
            log.flushAll();
        }
    }

    private int run(EventLog log) throws IOException, InterruptedException {
        String token = new TokenFile(state).token();
        AddressFile addresses = new AddressFile(state);
        ServerMetrics metrics = new ServerMetrics();
        LinuxHost host = config.host(workspace);
        try {
            config.requireKept(host);
        } catch (SessionException e) {
            host.close();
            throw e;
        }
        Sessions sessions = Sessions.builder(host)
                .state(state)
                .environment(config.environment(Environment.basic(System.getenv()), System.getenv()))
                .limits(config.limits())
                .resources(config.resources())
                .isolation(config.isolation(workspace, file))
                .observer(metrics)
                .observer(log)
                .build();
        sessions.approvals().settings(config.approvals());
        String version = Version.read().number();
        Server server = Server.builder(sessions)
                .settings(withAdmin(config.server(), token))
                .capacity(new MachineCapacity(() -> sessions.stats().permitsUsed()))
                .screens(new Screens(sessions, config.screens()))
                .metrics(metrics)
                .events(log)
                .version(version)
                .reloader(one -> reload(one, host, token, log))
                .stopper(() -> {
                    log.log("draining", Map.of());
                    told.countDown();
                })
                .mount(McpDoor.PATH, one -> new McpDoor(
                        one, () -> config.agent(), () -> config.results(), version))
                .build();
        try {
            String address = server.start();
            note(log, () -> addresses.write(address));
            onSignals(server, host, token, log);
            log.log("started", Map.of(
                    "version", version, "address", address, "settings", file.map(Path::toString).orElse("none")));
            Warnings.of(config.server().binding()).forEach(warning -> log.log("warning", Map.of("message", warning)));
            announce(server, address, token);
            if (sessions.stats().orphans() > 0) {
                log.log("orphans_ended", Map.of("count", sessions.stats().orphans()));
            }
            told.await();
            note(log, () -> addresses.delete(address));
        } finally {
            server.close();
        }
        log.log("stopped", Map.of());
        return 0;
    }

    private interface Noting {
        void run() throws IOException;
    }

    /// A server whose address cannot be written to the state folder still works; clients have to name it.
    private static void note(EventLog log, Noting noting) {
        try {
            noting.run();
        } catch (IOException | SessionException e) {
            log.log("warning",
                    Map.of("message", "Could not update the file 'address' in the state folder (" + e.getMessage()
                            + "); pass --server to 'belay link' and 'belay reload'."));
        }
    }

    private static void announce(Server server, String address, String token) {
        Authority.Ticket ticket = server.authority()
                .consoleTicket(server.authority().token(token, InetAddress.getLoopbackAddress()));
        System.out.println(LISTENING + address);
        System.out.println("Console: " + LinkCommand.of(address, ticket.text()) + " ("
                + LinkCommand.life(ticket.life()) + ")");
        System.out.flush();
    }

    private void onSignals(Server server, LinuxHost host, String token, EventLog log) {
        Signals.onTerminate(() -> {
            if (signals.getAndIncrement() == 0) {
                log.log("draining", Map.of());
                told.countDown();
            } else {
                server.hurry();
            }
        });
        boolean heard = Signals.onHangUp(() -> {
            try {
                reload(server, host, token, log);
            } catch (SessionException _) {
                // Logged already, and nothing has changed.
            }
        });
        if (!heard) {
            log.log("hangup_ignored", Map.of(
                    "message", "SIGHUP is ignored because of nohup; use 'belay reload' to read the settings again."));
        }
    }

    /// Settings that cannot be read, or are refused, change nothing.
    private Reloaded reload(Server server, LinuxHost host, String token, EventLog log) {
        reloading.lock();
        try {
            Config now = again.get();
            now.requireKept(host);
            server.reload(withAdmin(now.server(), token));
            server.sessions().limits(now.limits());
            server.sessions().resources(now.resources());
            server.sessions().isolation(now.isolation(workspace, file));
            server.sessions().approvals().settings(now.approvals());
            Reloaded done = new Reloaded(
                    now.changed(config), started.restartNeeded(now), now.server().accounts().size() + 1);
            config = now;
            log.log("reloaded", Map.of("principals", done.principals(), "changed", done.changed()));
            if (!done.restartNeeded().isEmpty()) {
                log.log("restart_needed", Map.of("settings", done.restartNeeded()));
            }
            return done;
        } catch (SessionException e) {
            log.log("reload_failed", Map.of("message", String.valueOf(e.getMessage())));
            throw e;
        } finally {
            reloading.unlock();
        }
    }

    private static ServerSettings withAdmin(ServerSettings settings, String token) {
        List<Account> accounts = new ArrayList<>(settings.accounts());
        accounts.add(new Account("admin", Role.ADMIN, List.of(TokenHash.of(token)), null));
        return settings.accounts(accounts);
    }
}

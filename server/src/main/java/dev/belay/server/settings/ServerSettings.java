package dev.belay.server.settings;

import dev.belay.access.Gate;
import dev.belay.access.Quota;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// All settings of a server. Start with [#DEFAULT] and refine; give a new one to [Server#reload].
///
/// @param binding        where to listen; a reload does not change it
/// @param allowedHosts   `Host` headers to accept, in addition to the address itself and the names of loopback
/// @param allowedOrigins origins of other pages that may use the server, exact: `tauri://localhost`
/// @param maxSessions    how many sessions there may be in all; null: as many as the machine has room for
/// @param quota          what a principal may use, unless its account says otherwise
/// @param accounts       who may sign in
public record ServerSettings(
        Binding binding,
        List<String> allowedHosts,
        List<String> allowedOrigins,
        HttpLimits http,
        ViewerLimits viewers,
        LoginLimits logins,
        DoorSettings doors,
        @Nullable Integer maxSessions,
        Quota quota,
        List<Account> accounts) {
    public static final ServerSettings DEFAULT = new ServerSettings(
            new Binding("127.0.0.1", 10_000, null),
            List.of(),
            List.of(),
            HttpLimits.DEFAULT,
            ViewerLimits.DEFAULT,
            LoginLimits.DEFAULT,
            DoorSettings.DEFAULT,
            null,
            Quota.DEFAULT,
            List.of());

    public ServerSettings {
        allowedHosts = List.copyOf(allowedHosts);
        allowedOrigins = List.copyOf(allowedOrigins);
        accounts = List.copyOf(accounts);
    }

    /// Where to listen.
    ///
    /// @param port 0 picks a free one
    /// @param tls  null: plain HTTP
    public record Binding(String host, int port, @Nullable Tls tls) {}

    /// A certificate chain and its key, as PEM files; read again when they change.
    public record Tls(Path certificate, Path key) {}

    /// What a request may take.
    ///
    /// @param headerBytes    the request line and all headers (8 KiB)
    /// @param jsonBytes      a JSON body (256 KiB)
    /// @param jsonDepth      objects and arrays inside each other (32)
    /// @param headerTimeout  how long the headers of a request may take to arrive (10 s)
    /// @param bodyTimeout    how long a body may take to arrive (30 s)
    /// @param idleTimeout    how long a connection may be quiet (60 s)
    /// @param maxWait        the longest that a request may ask to wait (10 min)
    /// @param maxConnections connections at once (2,048)
    /// @param maxUnauthenticated connections on which nobody has signed in, and as many Socket.IO handshakes; at most a
    ///                           quarter of all (256)
    /// @param maxUnauthenticatedPerAddress those of one address that is not loopback (64)
    /// @param conversations  conversations of agents with one principal at once (100)
    /// @param conversationIdle when a conversation that nobody uses is forgotten (30 min)
    public record HttpLimits(
            int headerBytes,
            int jsonBytes,
            int jsonDepth,
            Duration headerTimeout,
            Duration bodyTimeout,
            Duration idleTimeout,
            Duration maxWait,
            int maxConnections,
            int maxUnauthenticated,
            int maxUnauthenticatedPerAddress,
            int conversations,
            Duration conversationIdle) {
        public static final HttpLimits DEFAULT = new HttpLimits(
                8 << 10,
                256 << 10,
                32,
                Duration.ofSeconds(10),
                Duration.ofSeconds(30),
                Duration.ofSeconds(60),
                Duration.ofMinutes(10),
                2048,
                256,
                64,
                100,
                Duration.ofMinutes(30));

        /// Connections that have not signed in: never more than a quarter of all.
        public int unauthenticated() {
            return Math.min(maxUnauthenticated, Math.max(1, maxConnections / 4));
        }
    }

    /// What a viewer may take.
    ///
    /// @param windowBytes how far the output may run ahead of the acknowledged offset, once a viewer acknowledges (512
    ///     KiB)
    /// @param frameBytes  the most output in one message (64 KiB)
    /// @param stall       how long a connection may take no byte before the viewer is disconnected (60 s)
    /// @param perSession  viewers of one session at once (64)
    public record ViewerLimits(int windowBytes, int frameBytes, Duration stall, int perSession) {
        public static final ViewerLimits DEFAULT =
                new ViewerLimits(512 << 10, 64 << 10, Duration.ofSeconds(60), 64);
    }

    /// How signing in is limited.
    ///
    /// @param failures  failed attempts that an address has at once (20)
    /// @param per       the time in which it gets that many more (1 min)
    /// @param ticket    how long a ticket can be used (30 s)
    /// @param console   how long the link to the console can be used (10 min)
    /// @param tab       how long the token of a browser tab stays valid after its last use (12 h)
    public record LoginLimits(int failures, Duration per, Duration ticket, Duration console, Duration tab) {
        public static final LoginLimits DEFAULT = new LoginLimits(
                20, Duration.ofMinutes(1), Duration.ofSeconds(30), Duration.ofMinutes(10), Duration.ofHours(12));
    }

    /// What differs between the ways that sessions are opened.
    ///
    /// @param terminalIdleTimeout  when a terminal that nobody uses is ended; null: never (null)
    /// @param terminalPace         the shortest time between two terminals of one user (1 s)
    /// @param terminalQueue        how many creations may wait for their turn (3)
    /// @param reconnectGrace       how long a terminal is kept for a client that has gone (60 s)
    public record DoorSettings(
            @Nullable Duration terminalIdleTimeout,
            Duration terminalPace,
            int terminalQueue,
            Duration reconnectGrace) {
        public static final DoorSettings DEFAULT = new DoorSettings(
                null, Duration.ofSeconds(1), 3, Duration.ofSeconds(60));
    }

    public Gate.Settings gate() {
        return new Gate.Settings(
                maxSessions, doors.terminalIdleTimeout(), doors.terminalPace(), doors.terminalQueue());
    }

    public ServerSettings binding(Binding value) {
        return new ServerSettings(
                value, allowedHosts, allowedOrigins, http, viewers, logins, doors, maxSessions, quota, accounts);
    }

    public ServerSettings allowedHosts(List<String> value) {
        return new ServerSettings(
                binding, value, allowedOrigins, http, viewers, logins, doors, maxSessions, quota, accounts);
    }

    public ServerSettings allowedOrigins(List<String> value) {
        return new ServerSettings(
                binding, allowedHosts, value, http, viewers, logins, doors, maxSessions, quota, accounts);
    }

    public ServerSettings http(HttpLimits value) {
        return new ServerSettings(
                binding, allowedHosts, allowedOrigins, value, viewers, logins, doors, maxSessions, quota, accounts);
    }

    public ServerSettings viewers(ViewerLimits value) {
        return new ServerSettings(
                binding, allowedHosts, allowedOrigins, http, value, logins, doors, maxSessions, quota, accounts);
    }

    public ServerSettings logins(LoginLimits value) {
        return new ServerSettings(
                binding, allowedHosts, allowedOrigins, http, viewers, value, doors, maxSessions, quota, accounts);
    }

    public ServerSettings doors(DoorSettings value) {
        return new ServerSettings(
                binding, allowedHosts, allowedOrigins, http, viewers, logins, value, maxSessions, quota, accounts);
    }

    public ServerSettings maxSessions(@Nullable Integer value) {
        return new ServerSettings(
                binding, allowedHosts, allowedOrigins, http, viewers, logins, doors, value, quota, accounts);
    }

    public ServerSettings quota(Quota value) {
        return new ServerSettings(
                binding, allowedHosts, allowedOrigins, http, viewers, logins, doors, maxSessions, value, accounts);
    }

    public ServerSettings accounts(List<Account> value) {
        return new ServerSettings(
                binding, allowedHosts, allowedOrigins, http, viewers, logins, doors, maxSessions, quota, value);
    }
}

package dev.belay.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/// A bad line: passes bytes on to a server, and breaks each connection off after a random number of them.
///
/// On platform threads: for virtual ones that wait for sockets the JVM opens descriptors of its own, and keeps them.
final class Cutter implements AutoCloseable {
    private final ServerSocket here = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final int port;
    private final int longest;
    private final Random random;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger cuts = new AtomicInteger();

    /// @param longest the most bytes that a connection lives to bring back
    Cutter(int port, int longest, long seed) throws IOException {
        this.port = port;
        this.longest = longest;
        this.random = new Random(seed);
        Thread.ofPlatform().daemon().name("cutter").start(this::accept);
    }

    int port() {
        return here.getLocalPort();
    }

    int cuts() {
        return cuts.get();
    }

    private void accept() {
        while (!here.isClosed()) {
            try {
                Socket client = here.accept();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), port);
                open.add(client);
                open.add(server);
                int life = 1 + random.nextInt(longest);
                Thread.ofPlatform().daemon().start(() -> pass(client, server, Integer.MAX_VALUE));
                Thread.ofPlatform().daemon().start(() -> pass(server, client, life));
            } catch (IOException _) {
                return; // closed
            }
        }
    }

    private void pass(Socket from, Socket to, int life) {
        try (from; to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] buffer = new byte[8192];
            int left = life;
            while (left > 0) {
                int read = in.read(buffer, 0, Math.min(left, buffer.length));
                if (read < 0) {
                    return;
                }
                out.write(buffer, 0, read);
                left -= life == Integer.MAX_VALUE ? 0 : read;
            }
            cuts.incrementAndGet();
            to.setSoLinger(true, 0);
            from.setSoLinger(true, 0);
        } catch (IOException _) {
            // The other direction has closed both.
        } finally {
            open.remove(from);
            open.remove(to);
        }
    }

    @Override
    public void close() throws IOException {
        here.close();
        for (Socket socket : open) {
            socket.close();
        }
    }
}

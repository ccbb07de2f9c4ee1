package dev.belay.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// `belay attach` as a person uses it: at a terminal, which is a tmux pane.
@Tag("slow")
class AttachTest extends AtTerminal {
    private Proxy proxy;

    @Override
    RunningServer serve() throws Exception {
        proxy = new Proxy();
        Files.writeString(folder.resolve("belay.toml"),
                "[server]\nallowed_hosts = [\"" + proxy.host() + "\"]\n");
        RunningServer served = new RunningServer(belay, "--config", "belay.toml");
        proxy.to = Integer.parseInt(served.port());
        return served;
    }

    @AfterEach
    void cut() throws Exception {
        proxy.close();
    }

    private String detach(String attached) throws Exception {
        tmux.press("C-\\", "d");
        tmux.finish(attached);
        return tmux.await("rc=");
    }

    @Test
    void anEditorIsAttachedResizedDetachedAndAttachedAgain() throws Exception {
        open("vi", "vim", "-u", "NONE", "-N", "notes");
        String first = tmux.begin("clear; belay attach vi; echo rc=$?");
        tmux.await("\n~\n~");
        tmux.type("ihello");
        tmux.await("\nhello");
        tmux.resize(70, 20);
        // Keys that are typed at once may reach vim before the new size does.
        Eventually.see("the new size", () -> server.call("GET", "api/sessions/vi", server.token(), ""),
                record -> record.contains("\"cols\":70,\"rows\":20"));
        tmux.press("Escape");
        tmux.type(":set columns? lines?");
        tmux.press("Enter");
        tmux.await("columns=70");
        tmux.press("Enter");
        assertThat(detach(first)).contains("[detached from vi; 'belay attach vi' returns]", "rc=0");
        assertTerminalAsBefore();
        String second = tmux.begin("clear; belay attach vi; echo rc=$?");
        tmux.await("the text typed before", screen -> screen.contains("\nhello") && screen.contains("~"));
        tmux.type(":wq");
        tmux.press("Enter");
        tmux.finish(second);
        tmux.await("[vi has exited with 0]");
        assertThat(folder.resolve("notes")).hasContent("hello");
        assertTerminalAsBefore();
    }

    @Test
    void theExitCodeOfTheSessionIsPassedOn() throws Exception {
        open("sh", "sh", "-c", "read x; exit 7");
        String attached = tmux.begin("clear; belay attach sh; echo rc=$?");
        tmux.await("detaches");
        tmux.press("Enter");
        tmux.finish(attached);
        tmux.await("rc=7");
        assertTerminalAsBefore();
    }

    @Test
    void twoPeopleTypeAndAWatcherCannot() throws Exception {
        open("cat", "cat");
        Tmux other = new Tmux(folder, 90, 30);
        try {
            String mine = tmux.begin("clear; belay attach cat; echo rc=$?");
            tmux.await("detaches");
            tmux.enter("from one");
            tmux.await("\nfrom one\nfrom one");
            String theirs = other.begin("clear; belay attach --watch cat; echo rc=$?");
            other.await("\nfrom one\nfrom one");
            other.type("xyz");
            other.await("watching; q or ctrl-\\ then d leaves");
            other.type("q");
            other.finish(theirs);
            other.await("rc=0");
            String again = other.begin("clear; belay attach cat; echo rc=$?");
            other.await("\nfrom one\nfrom one");
            other.enter("from two");
            tmux.await("\nfrom two\nfrom two");
            assertThat(tmux.screen()).doesNotContain("xyz");
            other.press("C-\\", "d");
            other.finish(again);
            detach(mine);
        } finally {
            other.kill();
        }
        assertTerminalAsBefore();
    }

    @Test
    void theKeyboardIsTakenAndGivenBack() throws Exception {
        open("cat", "cat");
        String attached = tmux.begin("clear; belay attach --take cat; echo rc=$?");
        Eventually.see("the keyboard taken", () -> server.call("GET", "api/sessions/cat", server.token(), ""),
                record -> record.contains("\"keyboard\":\"admin\""));
        tmux.enter("mine");
        tmux.await("\nmine\nmine");
        detach(attached);
        Eventually.see("the keyboard given back", () -> server.call("GET", "api/sessions/cat", server.token(), ""),
                record -> record.contains("\"keyboard\":null"));
        assertTerminalAsBefore();
    }

    @Test
    void whileOneHoldsTheKeyboardAnotherCannotTypeUntilItIsHandedBack() throws Exception {
        belay.run("token", "eve", "--role", "admin", "--save", "--out", "eve.token", "--config", "belay.toml");
        open("cat", "cat");
        Tmux other = new Tmux(folder, 90, 30);
        try {
            String theirs = other.begin("clear; belay attach --token-file eve.token cat; echo rc=$?");
            other.await("detaches");
            String mine = tmux.begin("clear; belay attach cat; echo rc=$?");
            tmux.enter("first"); // Belay's own keys are keys only in raw mode
            tmux.await("\nfirst\nfirst");
            tmux.press("C-\\", "t");
            other.await("belay: admin has the keyboard");
            other.enter("kept out");
            other.await("belay: admin has the keyboard of session cat; you can read");
            tmux.enter("mine");
            other.await("\nmine\nmine");
            tmux.press("C-\\", "g");
            Eventually.see("the keyboard given back",
                    () -> server.call("GET", "api/sessions/cat", server.token(), ""),
                    record -> record.contains("\"keyboard\":null"));
            other.enter("theirs");
            tmux.await("\ntheirs\ntheirs");
            assertThat(belay.run("read", "cat", "--strip-ansi").out())
                    .isEqualTo("first\nfirst\nmine\nmine\ntheirs\ntheirs\n");
            other.press("C-\\", "d");
            other.finish(theirs);
            detach(mine);
        } finally {
            other.kill();
        }
        assertTerminalAsBefore();
    }

    @Test
    void aLostConnectionIsMadeAgainAndWhatWasTypedMeanwhileArrivesOnce() throws Exception {
        open("cat", "cat");
        String attached = tmux.begin("clear; belay attach --server http://" + proxy.host() + "/ cat; echo rc=$?");
        tmux.await("detaches");
        tmux.enter("before");
        tmux.await("\nbefore\nbefore");
        proxy.cut();
        tmux.await("connection lost");
        tmux.enter("meanwhile");
        proxy.mend();
        tmux.await("\nmeanwhile\nmeanwhile");
        detach(attached);
        String printed = belay.run("read", "cat", "--strip-ansi").out();
        assertThat(printed).isEqualTo("before\nbefore\nmeanwhile\nmeanwhile\n");
        assertTerminalAsBefore();
    }

    @Test
    void theTerminalIsRestoredWhenTheServerOrBelayIsKilled() throws Exception {
        open("vi", "vim", "-u", "NONE", "-N", "notes");
        String first = tmux.begin("clear; belay attach vi; echo $? > code");
        tmux.await("\n~\n~");
        belay.launched().destroyForcibly();
        tmux.finish(first);
        assertThat(folder.resolve("code")).hasContent("137");
        tmux.await("the guard", screen -> screen.contains("belay: killed; the session keeps running"));
        assertTerminalAsBefore();
        String second = tmux.begin("clear; belay attach vi; echo rc=$?");
        tmux.await("~");
        server.signal("KILL");
        tmux.await("connection lost");
        tmux.press("C-c");
        tmux.finish(second);
        tmux.await("rc=");
        assertTerminalAsBefore();
    }

    @Test
    void withoutATerminalItSaysWhatToUse() throws Exception {
        open("cat", "cat");
        Belay.Outcome refused = belay.run("attach", "cat");
        assertThat(refused.code()).isEqualTo(2);
        assertThat(refused.err()).contains("belay read --follow");
        assertThat(belay.run("attach", "--detach-keys", "x", "cat").err()).contains("are not detach keys");
        assertThat(belay.run("attach", "--watch", "--take", "cat").code()).isEqualTo(2);
    }

    /// A network that can be cut.
    private static final class Proxy implements AutoCloseable {
        private volatile int to;
        private final ServerSocket listening;
        private final List<Socket> sockets = new CopyOnWriteArrayList<>();
        private volatile boolean cut;

        Proxy() throws IOException {
            listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
            Thread.ofVirtual().start(this::accept);
        }

        String host() {
            return "127.0.0.1:" + listening.getLocalPort();
        }

        private void accept() {
            while (!listening.isClosed()) {
                try {
                    Socket client = listening.accept();
                    sockets.add(client);
                    if (cut) {
                        client.close();
                        continue;
                    }
                    Socket server = new Socket(InetAddress.getLoopbackAddress(), to);
                    sockets.add(server);
                    Thread.ofVirtual().start(() -> copy(client, server));
                    Thread.ofVirtual().start(() -> copy(server, client));
                } catch (IOException _) {
                    // It was closed.
                }
            }
        }

        private static void copy(Socket from, Socket to) {
            try (from; to) {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                in.transferTo(out);
            } catch (IOException _) {
                // It was cut.
            }
        }

        void cut() throws IOException {
            cut = true;
            for (Socket socket : sockets) {
                socket.close();
            }
        }

        void mend() {
            cut = false;
        }

        @Override
        public void close() throws IOException {
            listening.close();
            cut();
        }
    }
}

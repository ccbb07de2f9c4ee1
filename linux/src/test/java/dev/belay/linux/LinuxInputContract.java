package dev.belay.linux;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.InputState;
import dev.belay.Session;
import dev.belay.SessionSpec;
import dev.belay.Signal;
import dev.belay.testkit.InputContract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/// Waiting for input on Linux: programs that wait in unusual ways, and cases that have no answer.
interface LinuxInputContract extends InputContract {
    InputState UNCLEAR = new InputState(null, false);

    /// A Python program that can make Linux system calls and prints `goes` just before its last one.
    private Session python(String program) {
        return open("python3", "-c", "import os, select, sys, termios, threading, time, tty\n"
                + "def say(): os.write(1, b'goes')\n" + program);
    }

    private Session screen(String... command) {
        return sessions().open(SessionSpec.of(command).env("TERM", "xterm"));
    }

    @Test
    default void fullScreenProgramsWaitForKeys() throws IOException, InterruptedException {
        Files.writeString(workspace().resolve("lines.txt"), "a line\n".repeat(200));
        Session less = screen("less", "lines.txt");
        prompts(less, "lines.txt", WAITING);
        less.write("q");
        assertThat(exitOf(less).code()).isZero();
        Session vim = screen("vim", "-N", "-u", "NONE", "-i", "NONE", "lines.txt");
        prompts(vim, "a line", WAITING);
        vim.write("\u001b:q!\r");
        assertThat(exitOf(vim).code()).isZero();
    }

    @Test
    default void aPromptOfNodeIsSeenInItsEpoll() throws InterruptedException {
        Session node = screen("node", "-e",
                """
                        const io = require('readline').createInterface({input: process.stdin, output: process.stdout});
                        io.question('name? ', name => {
                            io.close();
                            console.log('hello ' + name);
                            setInterval(() => {}, 1e6);
                        });
                        """);
        prompts(node, "name\\? ", WAITING);
        node.write("you\r");
        expect(node.drainer(), "hello you");
        // Node may leave the terminal in its epoll after it stops reading, but the terminal is no longer raw.
        assertThat(node.awaitInputState(PATIENCE).seenWaiting()).isFalse();
    }

    @Test
    default void theTerminalAloneIsWaitedForInAnyCall() throws InterruptedException {
        prompts(python("say(); select.select([0], [], [])"), "goes", WAITING);
        prompts(python("say(); select.select([0], [], [], 1000)"), "goes", WAITING);
        prompts(python("p = select.poll(); p.register(0, select.POLLIN); say(); p.poll()"), "goes", WAITING);
        prompts(python("say(); os.readv(0, [bytearray(8)])"), "goes", WAITING);
        prompts(python("t = os.open('/dev/tty', os.O_RDWR); say(); select.select([0, t], [], [])"), "goes", WAITING);
        prompts(python("t = os.open(os.ttyname(0), os.O_RDWR); say(); os.read(t, 1)"), "goes", WAITING);
        prompts(python("threading.Thread(target=lambda: os.read(0, 1)).start(); say(); time.sleep(1000)"), "goes",
                WAITING);
    }

    @Test
    default void aTerminalWatchedAlongWithOtherThingsIsUnclear() throws InterruptedException {
        prompts(python("r, w = os.pipe(); say(); select.select([0, r], [], [])"), "goes", UNCLEAR);
        prompts(python("""
                r, w = os.pipe()
                p = select.poll()
                p.register(0, select.POLLIN)
                p.register(r, select.POLLIN)
                say()
                p.poll()"""), "goes", UNCLEAR);
        String epoll = "e = select.epoll(); e.register(0, select.EPOLLIN); say(); e.poll()";
        prompts(python(epoll), "goes", UNCLEAR);
        prompts(python("tty.setraw(0); " + epoll), "goes", WAITING);
    }

    @Test
    default void descriptorsThatAreNotReadDoNotCount() throws InterruptedException {
        // The program waits to write to a full pipe; it does not wait for the terminal, or not to read from it.
        isBusyAfter(python("""
                r, w = os.pipe()
                os.set_blocking(w, False)
                try:
                    while True: os.write(w, b'x' * 4096)
                except BlockingIOError: pass
                p = select.poll()
                p.register(0, 0)
                p.register(w, select.POLLOUT)
                say()
                p.poll()"""), "goes");
        isBusyAfter(python("say(); select.select([], [], [], 1000)"), "goes");
        isBusyAfter(python("r, w = os.pipe(); e = select.epoll(); e.register(r); say(); e.poll()"), "goes");
    }

    @Test
    default void aRawTerminalWithNoReaderIsUnclear() throws InterruptedException {
        prompts(python("tty.setraw(0); say(); time.sleep(1000)"), "goes", UNCLEAR);
    }

    @Test
    default void aStoppedReaderDoesNotWait() throws InterruptedException {
        Session cat = open("cat");
        comesTo(cat, WAITING);
        cat.signal(Signal.of("STOP"));
        comesTo(cat, InputState.NOBODY);
        cat.signal(Signal.of("CONT"));
        comesTo(cat, WAITING);
    }

    @Test
    default void moreThreadsThanAreLookedAtAreUnclear() throws InterruptedException {
        Session crowd = python("""
                threading.stack_size(65536)
                for _ in range(400): threading.Thread(target=time.sleep, args=[1000], daemon=True).start()
                say()
                time.sleep(1000)""");
        prompts(crowd, "goes", UNCLEAR);
    }

    @Test
    default void aProcessThatMayNotBeLookedAtIsUnclear() throws IOException, InterruptedException {
        // What su and sudo look like to an ordinary user: PR_SET_DUMPABLE, 0.
        Session closed = python("import ctypes; ctypes.CDLL(None).prctl(4, 0); say(); os.read(0, 1)");
        prompts(closed, "goes", mayTraceAnybody() ? WAITING : UNCLEAR);
    }

    /// Whether we have CAP_SYS_PTRACE, as root usually does.
    private static boolean mayTraceAnybody() throws IOException {
        String effective = Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("CapEff:"))
                .findFirst()
                .orElseThrow();
        return (Long.parseUnsignedLong(effective.substring("CapEff:".length()).strip(), 16) >>> 19 & 1) != 0;
    }

    @Test
    default void aPromptOnPipesIsSeenWhateverReadsIt() throws InterruptedException {
        String select = "import os, select; os.write(1, b'goes'); select.select([0], [], [])";
        prompts(sessions().open(SessionSpec.of("python3", "-c", select).pipe()), "goes", WAITING);
        String epoll =
                "import os, select; e = select.epoll(); e.register(0, select.EPOLLIN); os.write(1, b'goes'); e.poll()";
        prompts(sessions().open(SessionSpec.of("python3", "-c", epoll).pipe()), "goes", UNCLEAR);
    }
}

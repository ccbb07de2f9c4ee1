import dev.belay.Cursor;
import dev.belay.EndReason;
import dev.belay.ErrorCode;
import dev.belay.Resources;
import dev.belay.Session;
import dev.belay.SessionSpec;
import dev.belay.Sessions;
import dev.belay.Signal;
import dev.belay.Size;
import dev.belay.linux.LinuxHost;
import dev.belay.linux.Machine;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

/// One thing that a worker does with one or more sessions. The weight says how often.
enum Act {
    /// The shortest possible session.
    TRUE(300) {
        @Override
        void run(Player p) throws Exception {
            SessionSpec spec = SessionSpec.of("/bin/true");
            Session session = p.open(p.random.nextInt(3) > 0 ? spec : spec.pipe());
            p.exits(session, 0);
            p.prints(session, "");
            p.leave(session);
        }
    },
    /// Output just before the exit, on both outlets.
    PRINTED(150) {
        @Override
        void run(Player p) throws Exception {
            String word = "w" + p.random.nextLong();
            int code = p.random.nextInt(200);
            Session session = p.shell("printf '" + word + "\\nend'; exit " + code);
            p.exits(session, code);
            p.prints(session, word + "\r\nend");
            p.leave(session);
            Session piped = p.piped("echo " + word + " >&2; echo out");
            String text = p.text(piped);
            Player.require(text.equals(word + "\nout\n") || text.equals("out\n" + word + "\n"), "output " + text);
            p.close(piped);
        }
    },
    SIGNALLED(40) {
        @Override
        void run(Player p) throws Exception {
            Session session = p.either("kill -KILL $$; echo never");
            Player.same(p.exit(session).signal().orElseThrow(), Signal.KILL, "signal");
            p.prints(session, "");
            p.leave(session);
            Session asked = p.open(SessionSpec.of("sleep", Player.FOREVER).pipe());
            asked.signal(Signal.TERM);
            Player.same(p.exit(asked).signal().orElseThrow(), Signal.TERM, "signal");
            p.close(asked);
        }
    },
    KILLED_FROM_OUTSIDE(40) {
        @Override
        void run(Player p) throws Exception {
            Session session = p.either("echo up; exec sleep " + Player.FOREVER);
            p.expect(session.cursor(), "up");
            ProcessHandle.of(session.snapshot().pid()).orElseThrow().destroyForcibly();
            Player.same(p.exit(session).signal().orElseThrow(), Signal.KILL, "signal");
            p.close(session);
        }
    },
    ECHO(40) {
        @Override
        void run(Player p) throws Exception {
            Session session = p.open(SessionSpec.of("cat"));
            Cursor cursor = session.cursor();
            for (int i = p.random.nextInt(10); i >= 0; i--) {
                String word = "x" + p.random.nextInt();
                session.writeLine(word);
                p.expect(cursor, word + "\\r\\n" + word + "\\r\\n");
            }
            session.write("\u0004");
            p.exits(session, 0);
        }
    },
    CLOSED_INPUT(40) {
        @Override
        void run(Player p) throws Exception {
            Session session = p.open(SessionSpec.of("cat").pipe());
            String text = "y".repeat(p.random.nextInt(20_000));
            Player.same(session.write(text), text.length(), "bytes taken");
            session.closeInput();
            p.exits(session, 0);
            p.prints(session, text);
            p.refused(ErrorCode.NOT_WRITABLE, () -> session.write("more"));
            p.close(session);
        }
    },
    SHELL_REPL(5) {
        @Override
        void run(Player p) throws Exception {
            Session session = p.open(SessionSpec.of("bash", "--norc", "-i").env("PS1", "ready> "));
            repl(p, session, "ready> ", "echo = $((%d*%d))", "exit 7");
            p.exits(session, 7);
        }
    },
    PYTHON_REPL(2) {
        @Override
        void run(Player p) throws Exception {
            Session session = p.open(SessionSpec.of("python3", "-q", "-i"));
            repl(p, session, ">>> ", "print('=', %d*%d)", "exit(7)");
            p.exits(session, 7);
        }
    },
    /// An interpreter on pipes: `bc`, or awk if there is no `bc`.
    BC(10) {
        @Override
        void run(Player p) throws Exception {
            boolean bc = Files.isExecutable(Path.of("/usr/bin/bc"));
            SessionSpec spec = bc ? SessionSpec.of("bc", "-q") : SessionSpec.of("awk", "{print $1*$3; fflush()}");
            Session session = p.open(spec.pipe());
            Cursor cursor = session.cursor();
            for (int i = 0; i < 5; i++) {
                int number = p.random.nextInt(10_000);
                session.writeLine(number + " * 10007");
                p.expect(cursor, "(?m)^" + number * 10_007 + "$");
            }
            session.closeInput();
            p.exits(session, 0);
        }
    },
    RESIZED(30) {
        @Override
        void run(Player p) throws Exception {
            Session session = p.shell("read x; stty size");
            Size size = new Size(1 + p.random.nextInt(1000), 1 + p.random.nextInt(1000));
            for (int i = p.random.nextInt(5); i > 0; i--) {
                session.resize(new Size(i, i));
            }
            session.resize(size);
            session.writeLine("");
            p.exits(session, 0);
            p.prints(session, "\r\n" + size.rows() + " " + size.cols() + "\r\n");
        }
    },
    FLOOD(15) {
        @Override
        void run(Player p) throws Exception {
            boolean terminal = p.random.nextBoolean();
            Known known = new Known(1 + p.random.nextInt(60_000), terminal ? "\r\n" : "\n");
            Session session = terminal ? p.shell(known.command()) : p.piped(known.command());
            known.read(session);
            p.exits(session, 0);
            p.close(session);
        }
    },
    LOSSLESS(10) {
        @Override
        void run(Player p) throws Exception {
            boolean terminal = p.random.nextBoolean();
            Known known = new Known(1 + p.random.nextInt(60_000), terminal ? "\r\n" : "\n");
            SessionSpec spec = SessionSpec.of("/bin/sh", "-c", known.command()).lossless(true);
            Session session = p.open(terminal ? spec : spec.pipe());
            known.drain(session);
            p.exits(session, 0);
        }
    },
    TIMED_OUT(25) {
        @Override
        void run(Player p) throws Exception {
            SessionSpec spec = SessionSpec.of("/bin/sh", "-c", p.random.nextBoolean()
                    ? "sleep " + Player.FOREVER + " & exec sleep " + Player.FOREVER
                    : "while :; do echo tick; sleep 0.01; done");
            Session session = p.open(spec.timeout(Duration.ofMillis(1 + p.random.nextInt(100))));
            p.exit(session);
            Player.same(session.snapshot().endReason(), EndReason.TIMEOUT, "reason");
            p.leave(session);
        }
    },
    IDLE(20) {
        @Override
        void run(Player p) throws Exception {
            Session session = p.open(SessionSpec.of("cat").idleTimeout(Duration.ofMillis(20 + p.random.nextInt(60))));
            awaitEnd(session);
            Player.same(session.snapshot().endReason(), EndReason.IDLE_TIMEOUT, "reason");
            p.leave(session);
        }
    },
    LIMITED(15) {
        @Override
        void run(Player p) throws Exception {
            Resources few = Resources.AS_BELAY.openFiles(50L).coreBytes(0L);
            Session session = p.open(SessionSpec.of("/bin/sh", "-c", "ulimit -n").pipe().resources(few));
            p.prints(session, "50\n");
            p.leave(session);
            String file = p.name();
            Session large = p.open(SessionSpec.of("dd", "if=/dev/zero", "of=" + file, "bs=1000", "count=9")
                    .resources(Resources.AS_BELAY.fileBytes(2000L)));
            Player.same(p.exit(large).signal().orElseThrow(), Signal.XFSZ, "signal");
            Player.same(large.snapshot().endReason(), EndReason.FILE_SIZE_LIMIT, "reason");
            Files.delete(p.folder.resolve("workspace").resolve(file));
            Session greedy = p.open(SessionSpec.of("dd", "if=/dev/zero", "of=/dev/null", "bs=500M", "count=1")
                    .env("LC_ALL", "C")
                    .resources(Resources.AS_BELAY.memoryBytes(200L << 20)));
            p.exits(greedy, 1);
            Player.require(p.text(greedy).contains("memory exhausted"), "output " + p.text(greedy));
        }
    },
    /// Uses a second of CPU time, so it is rare.
    BUSY(1) {
        @Override
        void run(Player p) throws Exception {
            Session session = p.open(SessionSpec.of("/bin/sh", "-c", "while :; do :; done")
                    .resources(Resources.AS_BELAY.cpu(Duration.ofSeconds(1))));
            Player.same(p.exit(session).signal().orElseThrow(), Signal.XCPU, "signal");
            Player.same(session.snapshot().endReason(), EndReason.CPU_LIMIT, "reason");
        }
    },
    REFUSED(30) {
        @Override
        void run(Player p) throws Exception {
            p.refused(ErrorCode.SPAWN_FAILED, () -> p.sessions.open(SessionSpec.of("no-such-program")));
            p.refused(ErrorCode.NOT_FOUND, () -> p.sessions.open(SessionSpec.of("true").workdir("nowhere")));
            p.refused(ErrorCode.OUTSIDE_WORKSPACE, () -> p.sessions.open(SessionSpec.of("true").workdir("..")));
            SessionSpec named = SessionSpec.of("cat").id(p.name());
            p.open(named);
            p.refused(ErrorCode.ALREADY_EXISTS, () -> p.sessions.open(named));
        }
    },
    /// Interrupts the opening thread at some moment. The session is complete all the same.
    INTERRUPTED_OPENER(20) {
        @Override
        void run(Player p) throws Exception {
            AtomicReference<Session> opened = new AtomicReference<>();
            AtomicReference<Throwable> failed = new AtomicReference<>();
            SessionSpec spec = SessionSpec.of("/bin/sh", "-c", "echo whole");
            SessionSpec either = p.random.nextBoolean() ? spec : spec.pipe();
            Thread opener = Thread.ofPlatform().name("soak-opener").start(() -> {
                try {
                    opened.set(p.sessions.open(either));
                } catch (RuntimeException | Error e) {
                    failed.set(e);
                }
            });
            Thread.sleep(Duration.ofNanos(p.random.nextInt(2_000_000)));
            opener.interrupt();
            Player.require(opener.join(Player.PATIENCE), "the opener hangs");
            if (failed.get() != null) {
                throw new AssertionError("an interrupted open failed", failed.get());
            }
            p.opened(opened.get());
            p.exits(opened.get(), 0);
            Player.same(p.text(opened.get()).strip(), "whole", "output");
        }
    },
    /// An interrupted reader does not disturb the next one.
    INTERRUPTED_READER(10) {
        @Override
        void run(Player p) throws Exception {
            Session session = p.shell("echo before; read x; echo after");
            Thread reader = Thread.ofPlatform().name("soak-reader").start(() -> {
                try {
                    p.text(session);
                } catch (InterruptedException | RuntimeException | AssertionError _) {
                    // Whatever it saw, the next reader is the one to check.
                }
            });
            Thread.sleep(Duration.ofNanos(p.random.nextInt(3_000_000)));
            reader.interrupt();
            Player.require(reader.join(Player.PATIENCE), "the reader hangs");
            session.writeLine("");
            p.exits(session, 0);
            // The echo of the line arrives before or after the first word.
            Player.require(p.text(session).matches("(before\r\n\r\n|\r\nbefore\r\n)after\r\n"), p.text(session));
        }
    },
    /// Opens a host and `Sessions` of its own, fills them to the limit, and closes them with all sessions in them.
    HOUSE(2) {
        @Override
        void run(Player p) throws Exception {
            try (Sessions house = Sessions.builder(LinuxHost.at(p.folder.resolve("workspace")))
                    .state(p.folder.resolve("state"))
                    .limits(Player.LIMITS.maxSessions(3))
                    .build()) {
                for (int i = 0; i < 3; i++) {
                    Session session = house.open(SessionSpec.of("sleep", Player.FOREVER));
                    p.opened(session);
                    p.leave(session);
                }
                p.refused(ErrorCode.LIMIT_REACHED, () -> house.open(SessionSpec.of("true")));
            }
        }
    },

    // --- hostile ---

    IGNORES(10) {
        @Override
        void run(Player p) throws Exception {
            Session session = p.either("trap '' HUP TERM INT; echo up; while :; do sleep " + Player.FOREVER + "; done");
            p.expect(session.cursor(), "up");
            p.close(session);
        }
    },
    STOPS(10) {
        @Override
        void run(Player p) throws Exception {
            Session session = p.either("echo up; kill -STOP $$; echo never");
            p.expect(session.cursor(), "up");
            p.close(session);
        }
    },
    DAEMON(15) {
        @Override
        void run(Player p) throws Exception {
            Session session = p.either("(setsid sh -c 'echo up; exec sleep " + Player.FOREVER
                    + "' </dev/null &); read x");
            p.expect(session.cursor(), "up");
            p.close(session);
        }
    },
    /// No environment, no descriptors, no parent, and perhaps a dead leader.
    HIDDEN_DAEMON(10) {
        @Override
        void run(Player p) throws Exception {
            String said = p.name();
            Session session = p.piped("read x; (env -i setsid /bin/sh -c '>" + said + "; exec sleep " + Player.FOREVER
                    + "' </dev/null >/dev/null 2>&1 &); while [ ! -e " + said + " ]; do sleep 0.01; done; echo up");
            session.writeLine("");
            p.expect(session.cursor(), "up");
            if (p.random.nextBoolean()) {
                p.exits(session, 0);
            }
            p.close(session);
            Files.delete(p.folder.resolve("workspace").resolve(said));
        }
    },
    /// As hidden as possible, but in a control group, if the machine allows one.
    GROUPED(8) {
        @Override
        void run(Player p) throws Exception {
            SessionSpec spec = SessionSpec.of("/bin/sh", "-c", "(env -i setsid sleep " + Player.FOREVER
                    + " </dev/null >/dev/null 2>&1 &); echo up; read x")
                    .resources(Resources.AS_BELAY.together(Resources.Together.UNBOUNDED));
            if (Machine.controlGroups().place() == null) {
                p.refused(ErrorCode.UNAVAILABLE, () -> p.sessions.open(spec));
                return;
            }
            Session session = p.open(p.random.nextBoolean() ? spec : spec.pipe());
            p.expect(session.cursor(), "up");
            p.close(session);
        }
    },
    SURVIVORS(15) {
        @Override
        void run(Player p) throws Exception {
            Session session = p.either("trap '' HUP; sleep " + Player.FOREVER + " & echo up; exit 3");
            p.exits(session, 3);
            Player.require(!session.drained(), "survivors do not hold the terminal or a pipe");
            Player.same(session.snapshot().survivors(), 1, "survivors");
            p.close(session);
            Player.require(session.drained(), "not drained after the close");
        }
    },
    CLOSES_ITS_TERMINAL(8) {
        @Override
        void run(Player p) throws Exception {
            Session session = p.shell("echo up; exec sleep " + Player.FOREVER + " <&- >&- 2>&-");
            p.expect(session.cursor(), "up");
            p.close(session);
        }
    },
    FORK_STORM(3) {
        @Override
        void run(Player p) throws Exception {
            int each = 2 + p.random.nextInt(4);
            String storm = "for i in $(seq " + each + "); do (for j in $(seq " + each + "); do (setsid sleep "
                    + Player.FOREVER + " &) ; done) & done; wait; echo up; read x";
            Session session = p.either("trap '' HUP; " + storm);
            if (p.random.nextBoolean()) {
                p.expect(session.cursor(), "up");
            }
            p.close(session);
        }
    },
    /// Forks and exits all the time, for a few seconds at most.
    WALKER(1) {
        @Override
        void run(Player p) throws Exception {
            Session session = p.piped(
                    "w() { sleep 0.01; [ $1 -gt 300 ] || { w $(($1+1)) & exit; }; }; w 0 & echo up; read x");
            p.expect(session.cursor(), "up");
            p.close(session);
        }
    },
    /// Prints without end, and nobody reads it.
    UNREAD(8) {
        @Override
        void run(Player p) throws Exception {
            SessionSpec spec = SessionSpec.of("yes", "nobody reads this");
            boolean lossless = p.random.nextBoolean();
            Session session = p.open((p.random.nextBoolean() ? spec : spec.pipe()).lossless(lossless));
            session.cursor().await(dev.belay.Until.offset(100_000), Player.PATIENCE);
            p.close(session);
        }
    },
    /// Never reads its input.
    DEAF(8) {
        @Override
        void run(Player p) throws Exception {
            SessionSpec spec = SessionSpec.of("sleep", Player.FOREVER);
            Session session = p.open(p.random.nextBoolean() ? spec : spec.pipe());
            int taken = session.write(new byte[500_000], Duration.ofMillis(20));
            Player.require(taken >= 0 && taken < 500_000, "a deaf child took " + taken);
            p.close(session);
        }
    };

    private final int weight;

    Act(int weight) {
        this.weight = weight;
    }

    abstract void run(Player p) throws Exception;

    static Act any(Random random, Set<Act> of) {
        int at = random.nextInt(of.stream().mapToInt(act -> act.weight).sum());
        for (Act act : of) {
            at -= act.weight;
            if (at < 0) {
                return act;
            }
        }
        throw new AssertionError("the weights do not add up");
    }

    private static void repl(Player p, Session session, String prompt, String line, String end) throws Exception {
        Cursor cursor = session.cursor();
        for (int i = 0; i < 3; i++) {
            p.expect(cursor, prompt);
            int one = p.random.nextInt(10_000);
            int other = p.random.nextInt(10_000);
            session.writeLine(line.formatted(one, other));
            p.expect(cursor, "= " + one * other + "\\r\\n");
        }
        p.expect(cursor, prompt);
        session.writeLine(end);
    }

    /// Waits for activity. A wait on the output would count as use and keep an idle session alive.
    private static void awaitEnd(Session session) throws InterruptedException {
        var activity = session.activity();
        while (session.exit().isEmpty()) {
            Player.require(activity.next(Player.PATIENCE), "an idle session is still alive");
        }
    }
}

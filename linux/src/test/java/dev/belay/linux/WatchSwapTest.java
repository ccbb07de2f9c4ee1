package dev.belay.linux;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Approval;
import dev.belay.Approval.Answer;
import dev.belay.Approval.Check;
import dev.belay.ApprovalListener;
import dev.belay.ExecPolicy.Action;
import dev.belay.ExecPolicy.Verdict;
import dev.belay.Session;
import dev.belay.Until;
import dev.belay.Waited;
import dev.belay.testkit.Rig;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What runs is compared with what was approved, word for word: the threads of a process may change the words behind
/// the check.
class WatchSwapTest extends WatchRig {
    /// Starts programs whose words it can change meanwhile.
    private static final String SPAWN = """
            import ctypes, os, sys, threading
            libc = ctypes.CDLL(None)
            word = ctypes.create_string_buffer(b'approved')
            def spawn(*words):
                kept = [ctypes.create_string_buffer(one.encode()) for one in words] + [word]
                argv = (ctypes.c_void_p * (len(kept) + 1))(*[ctypes.addressof(one) for one in kept], None)
                pid = ctypes.c_int()
                if libc.posix_spawn(ctypes.byref(pid), words[0].encode(), None, None, argv, None) == 0:
                    os.waitpid(pid.value, 0)
            """;

    private record Checked(Approval approval, Check check) {}

    private final LinkedBlockingQueue<Checked> checked = new LinkedBlockingQueue<>();

    @BeforeEach
    void listen() {
        approvals().addListener(new ApprovalListener() {
            @Override
            public void checked(Approval approval, Check check) {
                checked.add(new Checked(approval, check));
            }
        });
    }

    @Test
    void wordsThatWereSwappedBehindTheAnswerAreReportedAndTheProgramRunsOn() throws Exception {
        approvals().settings(settings((_, execution) -> execution.first().words().contains("approved")
                ? new Verdict(Action.ASK, "ask")
                : Verdict.ALLOWED));
        Session session = watched("python3", "-c", SPAWN + """
                def swap():
                    sys.stdin.readline()
                    word.value = b'swapped!'
                    print('ready', flush=True)
                threading.Thread(target=swap).start()
                spawn('/bin/sh', '-c', 'echo ran "$0"; read end')
                """);
        Approval asked = question();
        assertThat(asked.words()).endsWith("approved");
        session.writeLine("swap");
        assertThat(session.drainer().await(Until.match("ready"), Rig.PATIENCE).fired())
                .isEqualTo(Waited.Fired.MATCH);
        approvals().answer(asked.id(), "ada", Answer.ALLOW);
        Checked told = next(checked);
        assertThat(told.check()).isEqualTo(Check.OTHER_WORDS);
        assertThat(told.approval().by()).isEqualTo("ada");
        session.writeLine("end");
        assertThat(output(session)).contains("ran swapped!");
    }

    /// Each run is verified and as approved, or reported, or not verified. None is wrong without a word.
    @Test
    void wordsThatAreSwappedAllTheTimeNeverPassUnnoticed() throws Exception {
        int runs = 100;
        Map<String, String> approved = new ConcurrentHashMap<>();
        approvals().settings(settings((_, execution) -> {
            if (!execution.first().words().contains("run")) {
                return Verdict.ALLOWED;
            }
            approved.put(execution.first().words().get(2), execution.first().words().get(3));
            return new Verdict(Action.ALLOW, "listed", true);
        }));
        Session session = watched("python3", "-c", SPAWN + """
                ended = False
                def swap():
                    while not ended:
                        word.value = b'swapped!'
                        word.value = b'approved'
                thread = threading.Thread(target=swap)
                thread.start()
                for i in range(%d):
                    spawn('/bin/echo', 'run', str(i))
                ended = True
                thread.join()
                """.formatted(runs));
        Map<String, String> ran = new ConcurrentHashMap<>();
        Matcher lines = Pattern.compile("run (\\d+) (\\S*)\n").matcher(output(session));
        while (lines.find()) {
            ran.put(lines.group(1), lines.group(2));
        }
        assertThat(ran).hasSize(runs);
        for (int i = 0; i < runs; i++) {
            Checked one = next(checked);
            String run = one.approval().words().get(2);
            boolean same = ran.get(run).equals(approved.get(run));
            assertThat(one.check()).as("run " + run + ": " + approved.get(run) + " ran as " + ran.get(run))
                    .isIn(same ? Check.VERIFIED : Check.OTHER_WORDS, Check.UNVERIFIED);
        }
    }

    /// The kernel puts interpreters in front of the words; that is no difference.
    @ParameterizedTest
    @ValueSource(strings = {
            "exec cat",
            "exec cat - - \"$(printf 'umlaut \\303\\274 and \\377')\" 2>/dev/null; cat",
            "printf '#!/bin/cat\\n' >script; chmod +x script; exec ./script -",
            "printf '#! /bin/cat  -u \\n' >script; chmod +x script; exec ./script -",
            "printf '#!/bin/cat\\t-u \\n' >script; chmod +x script; exec ./script -",
            "printf '#!/bin/sh -e\\nexec <&3; read end' >script; chmod +x script; exec \"$PWD/script\" 'a  b' '' -x",
            "printf '#!/bin/sh\\nread end' >one; printf '#!./one a b\\n' >two; chmod +x one two; exec ./two c",
            "printf '#!/bin/sh\\nread end' >script; chmod +x script; exec python3 -c "
                    + "'import os; fd = os.open(\"script\", 0); os.set_inheritable(fd, True);"
                    + " os.execve(fd, [\"x\"], {})'",
            "exec python3 -c 'import os; os.execv(\"/bin/cat\", [\"cat\", \"-\"] + [\"-u\"] * 50000)'",
    })
    void whatIsAsApprovedIsVerified(String script) throws Exception {
        approvals().settings(settings((_, _) -> new Verdict(Action.ALLOW, "listed", true)));
        Session session = watched("/bin/sh", "-c", "exec 3<&0; " + script);
        Checked told = next(checked);
        while (!told.approval().program().matches(".*/(cat|script|two)")) {
            told = next(checked);
        }
        assertThat(told.check()).isEqualTo(Check.VERIFIED);
        session.close();
    }
}

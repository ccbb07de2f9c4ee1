package dev.belay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.belay.host.Launch;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Values are checked when they are created.
class ValuesTest {
    private static final SessionSpec SPEC = SessionSpec.of("sh");

    private static void isInvalid(ThrowingCallable call, String... words) {
        assertThatExceptionOfType(SessionException.class).isThrownBy(call)
                .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_REQUEST))
                .satisfies(e -> assertThat(List.of(words)).allMatch(e.getMessage()::contains));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "a/b", "../x", "a.b", "é", "a\n", "\u0000"})
    void anIdHasOnlyHarmlessCharacters(String id) {
        isInvalid(() -> SPEC.id(id), "session id", Quoted.of(id));
    }

    @Test
    void anIdHasAtMost128Characters() {
        assertThat(SPEC.id("aZ09_-".repeat(21) + "xy").id()).hasSize(128);
        isInvalid(() -> SPEC.id("x".repeat(129)));
    }

    @Test
    void aCommandIsNotEmptyAndHoldsNoNul() {
        isInvalid(SessionSpec::of, "command is empty");
        isInvalid(() -> SessionSpec.of(""), "command is empty");
        isInvalid(() -> SessionSpec.of("sh", "a\0b"), "NUL");
        assertThat(SessionSpec.of("sh", "").command()).containsExactly("sh", "");
    }

    @Test
    void namesOfVariablesAreNotEmptyAndHaveNoEqualsSign() {
        isInvalid(() -> SPEC.env("", "x"));
        isInvalid(() -> SPEC.env("A=B", "x"), "'A=B'");
        isInvalid(() -> SPEC.env("A", "x\0"), "NUL");
        isInvalid(() -> SPEC.env("A\0", "x"), "NUL");
        isInvalid(() -> SPEC.workdir("a\0"), "NUL");
        assertThat(SPEC.env("A", "").env("A", "b=c").env("D", "").env()).isEqualTo(Map.of("A", "b=c", "D", ""));
    }

    @Test
    void labelsAreBounded() {
        SessionSpec many = SPEC;
        for (int i = 0; i < SessionSpec.MAX_LABELS; i++) {
            many = many.label("k" + i, "v".repeat(SessionSpec.MAX_LABEL_VALUE_CHARS));
        }
        SessionSpec full = many;
        isInvalid(() -> full.label("one-more", "v"), "at most 64 labels");
        isInvalid(() -> SPEC.label("", "v"), "name of a label");
        isInvalid(() -> SPEC.label("k".repeat(129), "v"), "name of a label");
        isInvalid(() -> SPEC.label("k", "v".repeat(1025)), "'k' has 1025");
        assertThat(SPEC.label("k".repeat(128), "").labels()).hasSize(1);
    }

    @Test
    void timeoutsAreLongerThanZeroOrAbsent() {
        isInvalid(() -> SPEC.timeout(Duration.ZERO));
        isInvalid(() -> SPEC.idleTimeout(Duration.ofNanos(-1)));
        assertThat(SPEC.timeout(Duration.ofSeconds(1)).timeout(null).timeout()).isNull();
    }

    @Test
    void aSpecIsNotChangedByWhatItWasMadeOf() {
        List<String> command = new java.util.ArrayList<>(List.of("sh"));
        Map<String, String> env = new HashMap<>(Map.of("A", "1"));
        SessionSpec spec = SessionSpec.of(command).env(env);
        command.add("-x");
        env.put("B", "2");
        assertThat(spec.command()).containsExactly("sh");
        assertThat(spec.env()).isEqualTo(Map.of("A", "1"));
    }

    @Test
    void aSpecKeepsAllItWasTold() {
        SessionSpec spec = SPEC.id("i").workdir("w").env("A", "1").size(100, 30).owner("o").label("k", "v")
                .timeout(Duration.ofSeconds(1)).idleTimeout(Duration.ofSeconds(2)).lossless(true).origin(Origin.API)
                .keep(true).isolation(Isolation.SANDBOX).startUp(Path.of("/start"));
        assertThat(spec).isEqualTo(new SessionSpec("i", List.of("sh"), "w", Map.of("A", "1"),
                new Mode.Pty(new Size(100, 30)), "o", Map.of("k", "v"), Duration.ofSeconds(1), Duration.ofSeconds(2),
                true, Resources.AS_BELAY, Origin.API, true, Guard.NONE.isolation(Isolation.SANDBOX),
                Path.of("/start")));
        assertThat(spec.pipe().mode().backend()).isEqualTo("pipe");
    }

    @Test
    void valuesOfVariablesAreNeverShown() {
        assertThat(SPEC.env("NAME", "hush").toString()).contains("NAME").doesNotContain("hush");
        assertThat(new Launch("i/a", List.of("sh"), ".", Map.of("NAME", "hush"), new Mode.Pipe(), Resources.AS_BELAY)
                .toString())
                .contains("NAME")
                .doesNotContain("hush");
    }

    @Test
    void aTerminalHas1To1000ColumnsAndRows() {
        assertThat(new Size(1, 1000, 0, 65_535)).isEqualTo(new Size(1, 1000, 0, 65_535));
        isInvalid(() -> new Size(0, 24), "0x24");
        isInvalid(() -> new Size(80, 0));
        isInvalid(() -> new Size(1001, 24));
        isInvalid(() -> new Size(80, 1001));
        isInvalid(() -> new Size(80, 24, -1, 0));
        isInvalid(() -> new Size(80, 24, 0, 65_536));
        assertThat(Size.DEFAULT).isEqualTo(new Size(80, 24, 0, 0));
    }

    @Test
    void limitsAreCheckedOneByOne() {
        Limits limits = Limits.DEFAULT;
        isInvalid(() -> limits.maxSessions(0), "maxSessions");
        isInvalid(() -> limits.logBytes(Limits.MIN_LOG_BYTES - 1), "logBytes");
        isInvalid(() -> limits.maxInputBytes(0), "maxInputBytes");
        isInvalid(() -> limits.writeTimeout(Duration.ofNanos(-1)), "writeTimeout");
        isInvalid(() -> limits.idleTimeout(Duration.ZERO), "idleTimeout");
        isInvalid(() -> limits.closeGrace(Duration.ofNanos(-1)), "closeGrace");
        isInvalid(() -> limits.retention(Duration.ofNanos(-1)), "retention");
        isInvalid(() -> limits.maxRetained(-1), "maxRetained");
    }

    @Test
    void limitsOfAWholeSessionAreChecked() {
        Resources.Together none = Resources.Together.UNBOUNDED;
        isInvalid(() -> none.memoryBytes(0L), "memory");
        isInvalid(() -> none.processes(0L), "processes");
        isInvalid(() -> none.cores(0.0), "cores");
        isInvalid(() -> none.cores(Double.NaN), "cores");
        assertThat(none.memoryBytes(1L).processes(2L).cores(0.5)).isEqualTo(new Resources.Together(1L, 2L, 0.5));
        assertThat(Resources.AS_BELAY.together(none).openFiles(5L).together()).isEqualTo(none);
    }

    @Test
    void theStandardLimitsAreThoseOfTheContract() {
        assertThat(Limits.DEFAULT.maxSessions()).isEqualTo(10);
        assertThat(Limits.DEFAULT.logBytes()).isEqualTo(8L << 20);
        assertThat(Limits.DEFAULT.maxInputBytes()).isEqualTo(1 << 20);
        assertThat(Limits.DEFAULT.closeGrace()).isEqualTo(Duration.ofSeconds(2));
        assertThat(Limits.DEFAULT.retention()).isEqualTo(Duration.ofMinutes(10));
        assertThat(Limits.DEFAULT.maxRetained()).isEqualTo(100);
    }

    @Test
    void everyLimitCanBeChangedAlone() {
        Limits changed = Limits.DEFAULT.maxSessions(1).logBytes(1 << 20).maxInputBytes(3)
                .writeTimeout(Duration.ofSeconds(4))
                .idleTimeout(Duration.ofSeconds(5)).timeout(Duration.ofSeconds(9)).closeGrace(Duration.ofSeconds(6))
                .retention(Duration.ofSeconds(7)).maxRetained(8);
        assertThat(changed).isEqualTo(new Limits(1, 1 << 20, 3, Duration.ofSeconds(4), Duration.ofSeconds(5),
                Duration.ofSeconds(9), Duration.ofSeconds(6), Duration.ofSeconds(7), 8));
        assertThat(Limits.DEFAULT.timeout()).isNull();
    }

    @Test
    void ofTwoLimitsTheLowerHoldsAndOneAloneHoldsToo() {
        Resources.Together half = Resources.Together.UNBOUNDED.cores(0.5).processes(7L);
        Resources one = new Resources(Duration.ofSeconds(1), 2L, 30L, null, 5L, 0L, null);
        Resources other = new Resources(Duration.ofSeconds(9), null, 3L, 4L, 50L, 6L, half);
        Resources both = new Resources(Duration.ofSeconds(1), 2L, 3L, 4L, 5L, 0L, half);
        assertThat(one.within(other)).isEqualTo(both).isEqualTo(other.within(one));
        assertThat(Resources.AS_BELAY.within(Resources.AS_BELAY)).isEqualTo(Resources.AS_BELAY);
        Resources.Together most = new Resources.Together(8L, 6L, 1.0);
        assertThat(other.within(Resources.AS_BELAY.together(most)).together())
                .isEqualTo(new Resources.Together(8L, 6L, 0.5));
    }

    @Test
    void signalsHaveTheNamesAndNumbersOfLinux() {
        assertThat(Signal.of("SIGINT")).isEqualTo(Signal.INT).hasToString("SIGINT");
        assertThat(Signal.of("int").number()).isEqualTo(2);
        assertThat(Signal.of("sigKill").number()).isEqualTo(9);
        assertThat(Signal.of("TERM").number()).isEqualTo(15);
        assertThat(Signal.of("CONT").number()).isEqualTo(18);
        assertThat(Signal.of("WINCH").number()).isEqualTo(28);
        assertThat(Signal.of("SYS").number()).isEqualTo(31);
        assertThat(new Signal(32).name()).isEqualTo("SIG32");
        assertThat(new Signal(34).name()).isEqualTo("SIGRTMIN+0");
        assertThat(new Signal(64).name()).isEqualTo("SIGRTMIN+30");
        for (int number = 1; number <= 31; number++) {
            assertThat(Signal.of(new Signal(number).name()).number()).isEqualTo(number);
        }
    }

    @Test
    void aSignalThatThereIsNotIsNamedSafely() {
        isInvalid(() -> new Signal(0));
        isInvalid(() -> new Signal(65));
        isInvalid(() -> Signal.of(""));
        isInvalid(() -> Signal.of("SIG"));
        isInvalid(() -> Signal.of("9"));
        isInvalid(() -> Signal.of("\u001b[2J\u202e"), "\\u001b[2J\\u202e");
    }

    @Test
    void anExitIsACodeOr128PlusTheSignal() {
        assertThat(new ExitStatus.Exited(3).code()).isEqualTo(3);
        assertThat(new ExitStatus.Exited(3).signal()).isEmpty();
        assertThat(new ExitStatus.Signaled(Signal.INT).code()).isEqualTo(130);
        assertThat(new ExitStatus.Signaled(Signal.INT).signal()).contains(Signal.INT);
    }

    @Test
    void anExceptionCarriesItsCodeAndDetails() {
        SessionException e =
                new SessionException(ErrorCode.SPAWN_FAILED, "m", Map.of(SessionException.REASON, "not_found"));
        assertThat(e.code()).isEqualTo(ErrorCode.SPAWN_FAILED);
        assertThat(e.details()).isEqualTo(Map.of("reason", "not_found"));
        assertThat(new SessionException(ErrorCode.INTERNAL, "m").details()).isEmpty();
    }

    @Test
    void statesAndReasonsHaveTheNamesOfTheContract() {
        assertThat(SessionState.values()).extracting(SessionState::label).containsExactly("starting", "running",
                "exited", "closed");
        assertThat(EndReason.IDLE_TIMEOUT.label()).isEqualTo("idle_timeout");
        assertThat(new Mode.Pty(Size.DEFAULT).backend()).isEqualTo("pty");
    }
}

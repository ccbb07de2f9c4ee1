package dev.belay;

import java.util.List;
import java.util.Locale;

/// A Unix signal by Linux's numbers.
public record Signal(int number) {
    private static final List<String> NAMES = List.of(
            "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2", "PIPE", "ALRM",
            "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ", "VTALRM", "PROF",
            "WINCH", "IO", "PWR", "SYS");
    private static final int MAX = 64;
    private static final int FIRST_REALTIME = 34;

    public static final Signal HUP = new Signal(1);
    public static final Signal INT = new Signal(2);
    public static final Signal QUIT = new Signal(3);
    public static final Signal KILL = new Signal(9);
    public static final Signal TERM = new Signal(15);
    public static final Signal CONT = new Signal(18);
    public static final Signal XCPU = new Signal(24);
    public static final Signal XFSZ = new Signal(25);
    public static final Signal WINCH = new Signal(28);

    public Signal {
        if (number < 1 || number > MAX) {
            throw SessionException.invalid("There is no signal " + number + "; signals go from 1 to " + MAX + ".");
        }
    }

    /// The signal of a name, with or without `SIG`, in any case: `SIGINT`, `int`.
    public static Signal of(String name) {
        String upper = name.toUpperCase(Locale.ROOT);
        int index = NAMES.indexOf(upper.startsWith("SIG") ? upper.substring(3) : upper);
        if (index < 0) {
            throw SessionException
                    .invalid("There is no signal named " + Quoted.of(name) + "; try SIGINT, SIGTERM or SIGKILL.");
        }
        return new Signal(index + 1);
    }

    /// The full name, such as `SIGINT`; real-time signals are `SIGRTMIN+n`.
    public String name() {
        if (number <= NAMES.size()) {
            return "SIG" + NAMES.get(number - 1);
        }
        return number < FIRST_REALTIME ? "SIG" + number : "SIGRTMIN+" + (number - FIRST_REALTIME);
    }

    @Override
    public String toString() {
        return name();
    }
}

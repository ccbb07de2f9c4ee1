package dev.belay.linux;

import dev.belay.ErrorCode;
import dev.belay.InputState;
import dev.belay.SessionException;
import dev.belay.Signal;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The process group that a session's keys and signals go to: the one that has the terminal; with pipes the leader's.
final class Foreground {
    private static final Set<Signal> KEYBOARD = Set.of(Signal.INT, Signal.QUIT, Signal.of("TSTP"));

    private final Loop loop;
    private final Reserve reserve;
    private final Leader leader;
    private final Port input;
    private final @Nullable Fd slave;

    /// @param slave our own descriptor of the terminal's other side; null for pipes
    Foreground(Loop loop, Reserve reserve, Leader leader, Port input, @Nullable Fd slave) {
        this.loop = loop;
        this.reserve = reserve;
        this.leader = leader;
        this.input = input;
        this.slave = slave;
    }

    /// Sends a signal.
    ///
    /// @return whether somebody got it
    boolean signal(Signal signal) {
        try (Arena arena = Arena.ofConfined()) {
            Libc libc = new Libc(arena);
            // The kernel knows the foreground group best, but signals it with these only.
            boolean asFromTheKeyboard = slave != null && KEYBOARD.contains(signal);
            if (asFromTheKeyboard) {
                int result = input.with(libc, -Errno.EBADF, fd -> libc.ioctl(fd, Abi.TIOCSIG, signal.number()));
                return result == 0;
            }
            long group = group(libc, arena);
            return group == leader.pid()
                    ? sent(signal, loop.call(() -> leader.signalGroup(signal)))
                    : reserve.with(() -> sent(signal, signalMembers(libc, arena, group, signal)));
        }
    }

    private int signalMembers(Libc libc, Arena arena, long group, Signal signal) {
        int best = -Errno.ESRCH;
        for (Proc member : leader.members()) {
            if (member.group() == group) {
                int result = Pidfd.signalOnce(libc, arena, member, signal);
                best = result == -Errno.ESRCH || best == 0 ? best : result;
            }
        }
        return best;
    }

    /// Whether somebody got a signal, from what the kernel said.
    private static boolean sent(Signal signal, int result) {
        return switch (-result) {
            case 0 -> true;
            case Errno.ESRCH -> false;
            case Errno.EPERM ->
                throw new SessionException(
                        ErrorCode.DENIED, signal + " may not be sent: the processes in front are another user's.");
            default ->
                throw new SessionException(
                        ErrorCode.UNAVAILABLE,
                        signal + " cannot be sent now: " + Errno.text(-result) + "; try again.");
        };
    }

    private long group(Libc libc, Arena arena) {
        if (slave == null) {
            return leader.pid();
        }
        MemorySegment group = arena.allocate(ValueLayout.JAVA_INT);
        int result = input.with(libc, -Errno.EBADF, fd -> libc.ioctl(fd, Abi.TIOCGPGRP, group));
        return result < 0 ? leader.pid() : group.get(ValueLayout.JAVA_INT, 0);
    }

    /// Whether somebody waits for input, and whether for a password.
    InputState inputState() {
        try (Arena arena = Arena.ofConfined()) {
            Libc libc = new Libc(arena);
            InputLook look = new InputLook(libc, arena);
            // The child's side of a terminal is what its descriptors lead to; the two ends of a pipe are one file.
            int open = slave == null
                    ? input.with(libc, -Errno.EBADF, look::at)
                    : slave.with(libc, -Errno.EBADF, look::at);
            if (open < 0) {
                return InputState.NOBODY;
            }
            InputLook.Seen seen = look.group(group(libc, arena));
            // After the look: a program that is blocked by then has set its modes before.
            return seen.in(modes(libc, arena));
        }
    }

    /// The local modes of the terminal; pipes count as one that takes and shows lines.
    private int modes(Libc libc, Arena arena) {
        int usual = Abi.ICANON | Abi.ECHO;
        if (slave == null) {
            return usual;
        }
        MemorySegment termios = arena.allocate(Abi.TERMIOS_BYTES, 4);
        int result = slave.with(libc, -Errno.EBADF, fd -> libc.ioctl(fd, Abi.TCGETS, termios));
        return result < 0 ? usual : termios.get(ValueLayout.JAVA_INT, Abi.TERMIOS_LFLAG);
    }
}

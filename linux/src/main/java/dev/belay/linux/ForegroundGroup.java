package dev.belay.linux;

import dev.belay.ErrorCode;
import dev.belay.InputState;
import dev.belay.SessionException;
import dev.belay.Signal;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/// The process group that receives a session's keys and signals: the terminal's foreground group, or the leader's group
/// for pipes.
final class ForegroundGroup {
    private final Loop loop;
    private final FdReserve reserve;
    private final Leader leader;
    private final Fd input;
    private final @Nullable Fd slave;

    /// @param input the terminal's master, or the pipe to standard input
    /// @param slave our own descriptor of the terminal's other side; null for pipes
    ForegroundGroup(Loop loop, FdReserve reserve, Leader leader, Fd input, @Nullable Fd slave) {
        this.loop = loop;
        this.reserve = reserve;
        this.leader = leader;
        this.input = input;
        this.slave = slave;
    }

    /// Sends a signal.
    ///
    /// @return whether any process got it
    boolean signal(Signal signal) {
        try (Arena arena = Arena.ofConfined()) {
            Libc libc = new Libc(arena);
            // The kernel can signal the foreground group itself, but only with these signals.
            boolean asFromTheKeyboard = slave != null && hasKey(signal);
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

    private static boolean hasKey(Signal signal) {
        return switch (signal.name()) {
            case "SIGINT", "SIGQUIT", "SIGTSTP" -> true;
            default -> false;
        };
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

    /// Whether any process got the signal, from the result of the system call.
    private static boolean sent(Signal signal, int result) {
        return switch (-result) {
            case 0 -> true;
            case Errno.ESRCH -> false;
            case Errno.EPERM ->
                throw new SessionException(
                        ErrorCode.DENIED, signal + " was not sent: the foreground processes belong to another user.");
            default ->
                throw new SessionException(
                        ErrorCode.UNAVAILABLE,
                        signal + " was not sent: " + Errno.text(-result) + "; try again.");
        };
    }

    /// The number of the terminal's foreground group; 0 for pipes, or if the terminal is gone.
    long group() {
        if (slave == null || slave.closed()) {
            return 0;
        }
        try (Arena arena = Arena.ofConfined()) {
            return group(new Libc(arena), arena);
        }
    }

    /// Whether only the leader is in the foreground, and has waited for children.
    boolean shellReads() {
        if (leader.reaped() || group() != leader.pid()) {
            return false;
        }
        try (Arena arena = Arena.ofConfined()) {
            if (!Proc.hasWaited(new ProcFile(new Libc(arena), arena), leader.pid())) {
                return false;
            }
        }
        return reserve.with(leader::members).stream().filter(member -> member.group() == leader.pid()).count() <= 1;
    }

    private long group(Libc libc, Arena arena) {
        if (slave == null) {
            return leader.pid();
        }
        MemorySegment group = arena.allocate(ValueLayout.JAVA_INT);
        int result = input.with(libc, -Errno.EBADF, fd -> libc.ioctl(fd, Abi.TIOCGPGRP, group));
        return result < 0 ? leader.pid() : group.get(ValueLayout.JAVA_INT, 0);
    }

    /// Whether a process of the group waits for input, and whether it asks for a password.
    InputState inputState() {
        try (Arena arena = Arena.ofConfined()) {
            Libc libc = new Libc(arena);
            InputLook look = new InputLook(libc, arena);
            // A child's descriptors lead to its own side of the terminal; both ends of a pipe are the same file.
            int open = slave == null
                    ? input.with(libc, -Errno.EBADF, look::at)
                    : slave.with(libc, -Errno.EBADF, look::at);
            if (open < 0) {
                return InputState.NOBODY;
            }
            InputLook.Seen seen = look.group(group(libc, arena));
            // After the look: a program that is already blocked has set its modes.
            return seen.in(modes(libc, arena));
        }
    }

    /// The local modes of the terminal. Pipes count as a terminal in line mode with echo.
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

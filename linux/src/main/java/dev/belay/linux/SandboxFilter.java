package dev.belay.linux;

import dev.belay.Network;

/// The system calls that no sandbox has: ways into the kernel that programs of a workspace do not need. Calls of 32-bit
/// programs are not there at all.
final class SandboxFilter {
    /// The bits of a socket's type; others are flags.
    private static final int SOCKET_TYPES = 0xF;

    private SandboxFilter() {}

    /// For bubblewrap, whose namespaces hold the rest.
    static Bpf inNamespaces() {
        return common()
                // A network namespace does not hold these sockets: they lead to the machine's own host.
                .ifEqual(Abi.current().guardCalls().socket(), new Bpf()
                        .loadArgument(0)
                        .ifEqual(Abi.AF_VSOCK, Bpf.refuse(Errno.EAFNOSUPPORT))
                        .answer(Bpf.ALLOW))
                .answer(Bpf.ALLOW);
    }

    /// For Landlock: also what namespaces would keep apart, and what Landlock does not see.
    static Bpf besideLandlock(Network network) {
        Abi.LandlockCalls calls = Abi.current().landlockCalls();
        int unknown = Bpf.refuse(Errno.ENOSYS);
        int forbidden = Bpf.refuse(Errno.EPERM);
        Bpf noUserNamespace = new Bpf().loadArgument(0).ifAnyBit(Abi.CLONE_NEWUSER, forbidden).answer(Bpf.ALLOW);
        Bpf filter = common();
        // A filter cannot read the flags of clone3, which are in memory. Libraries then use clone.
        filter.ifEqual(Abi.SYS_CLONE3, unknown)
                .ifEqual(calls.cloneCall(), noUserNamespace)
                .ifEqual(calls.unshare(), noUserNamespace)
                .ifEqual(calls.setns(), forbidden)
                // Limits of other processes: one for processor time would end them.
                .ifEqual(calls.prlimit64(), new Bpf().loadArgument(0).unlessEqual(0, forbidden).answer(Bpf.ALLOW));
        // Memory, messages and semaphores of other processes.
        for (int call : new int[] {
                calls.shmget(), calls.shmat(), calls.shmctl(), calls.msgget(), calls.msgsnd(), calls.msgrcv(),
                calls.msgctl(), calls.semget(), calls.semop(), calls.semtimedop(), calls.semctl(), calls.mqOpen(),
                calls.mqUnlink()
        }) {
            filter.ifEqual(call, unknown);
        }
        return filter
                .ifEqual(calls.socketpair(), pairs())
                .ifEqual(Abi.current().guardCalls().socket(), sockets(network))
                .answer(Bpf.ALLOW);
    }

    /// Landlock holds neither UDP, nor named sockets, nor TCP by MPTCP or "fast open". So without a network there are
    /// no sockets.
    private static Bpf sockets(Network network) {
        Bpf sockets = new Bpf();
        if (network instanceof Network.On) {
            sockets.loadArgument(0).ifEqual(Abi.AF_INET, Bpf.ALLOW).ifEqual(Abi.AF_INET6, Bpf.ALLOW);
        }
        return sockets.answer(Bpf.refuse(Errno.EACCES));
    }

    /// One of a pair that keeps the boundaries of messages could send to any named socket, unless it is connected for
    /// good.
    private static Bpf pairs() {
        return new Bpf()
                .loadArgument(0)
                .unlessEqual(Abi.AF_UNIX, Bpf.refuse(Errno.EACCES))
                .loadArgument(1)
                .and(SOCKET_TYPES)
                .ifEqual(Abi.SOCK_STREAM, Bpf.ALLOW)
                .ifEqual(Abi.SOCK_SEQPACKET, Bpf.ALLOW)
                .answer(Bpf.refuse(Errno.EACCES));
    }

    /// Leaves the number of the call loaded.
    private static Bpf common() {
        Abi abi = Abi.current();
        Abi.GuardCalls calls = abi.guardCalls();
        int unknown = Bpf.refuse(Errno.ENOSYS);
        int forbidden = Bpf.refuse(Errno.EPERM);
        return new Bpf()
                .loadArch()
                .unlessEqual(abi.auditArch(), unknown)
                .loadNumber()
                // The x32 numbers of x86_64; no other processor has numbers as large.
                .ifAtLeast(Abi.X32_SYSCALL_BIT, unknown)
                .ifEqual(Abi.SYS_IO_URING_SETUP, unknown)
                .ifEqual(Abi.SYS_IO_URING_ENTER, unknown)
                .ifEqual(Abi.SYS_IO_URING_REGISTER, unknown)
                .ifEqual(calls.bpf(), forbidden)
                .ifEqual(calls.perfEventOpen(), forbidden)
                .ifEqual(calls.userfaultfd(), forbidden)
                .ifEqual(calls.addKey(), forbidden)
                .ifEqual(calls.requestKey(), forbidden)
                .ifEqual(calls.keyctl(), forbidden);
    }
}

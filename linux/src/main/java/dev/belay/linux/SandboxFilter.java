package dev.belay.linux;

/// The system calls that no sandbox has: ways into the kernel that programs of a workspace do not need. Calls of 32-bit
/// programs are not there at all.
final class SandboxFilter {
    private SandboxFilter() {}

    static byte[] bytes() {
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
                .ifEqual(calls.keyctl(), forbidden)
                // A network namespace does not hold these sockets: they lead to the machine's own host.
                .skipUnlessEqual(calls.socket(), 3)
                .loadFirstArgument()
                .ifEqual(Abi.AF_VSOCK, Bpf.refuse(Errno.EAFNOSUPPORT))
                .answer(Bpf.ALLOW)
                .bytes();
    }
}

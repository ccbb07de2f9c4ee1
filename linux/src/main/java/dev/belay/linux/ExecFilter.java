package dev.belay.linux;

/// The filter of a watched session: the kernel holds each process that asks to start a program until Belay answers.
/// That goes for 64-bit and 32-bit calls; x32, the third kind of x86_64, is not there at all.
final class ExecFilter {
    private ExecFilter() {}

    static Bpf program() {
        Abi abi = Abi.current();
        Abi.GuardCalls calls = abi.guardCalls();
        return new Bpf()
                .loadArch()
                // Not the native calls: those of 32-bit programs, by their own numbers.
                .skipIfEqual(abi.auditArch(), 8)
                .unlessEqual(abi.auditArch32(), Bpf.refuse(Errno.ENOSYS))
                .loadNumber()
                .ifEqual(abi.execve32(), Bpf.NOTIFY)
                .ifEqual(abi.execveat32(), Bpf.NOTIFY)
                .answer(Bpf.ALLOW)
                .loadNumber()
                .ifEqual(calls.execve(), Bpf.NOTIFY)
                .ifEqual(calls.execveat(), Bpf.NOTIFY)
                .ifAtLeast(Abi.X32_SYSCALL_BIT, Bpf.refuse(Errno.ENOSYS))
                .answer(Bpf.ALLOW);
    }
}

package dev.belay.cli;

import dev.belay.linux.Machine;
import dev.belay.linux.Trial;
import java.util.List;

/// The kernel and the C library, and whether what Belay asks of them works.
final class SystemFacts {
    private static final int KERNEL_MAJOR = 5;
    private static final int KERNEL_MINOR = 6;
    private static final int GLIBC_MAJOR = 2;
    private static final int GLIBC_MINOR = 34;

    private SystemFacts() {}

    static List<Finding> look() {
        // Before all others: the first to need the C library is told what it lacks, the next ones only that it failed.
        Trial host = Machine.host();
        return List.of(
                kernel(),
                processor(),
                cLibrary(Machine.cLibrary()),
                tried(
                        "system.openat2",
                        "openat2",
                        "working folders stay in the workspace",
                        Machine.openat2(),
                        "Belay opens working folders with it.",
                        "use Linux 5.6 or newer; in a container, allow openat2 in its seccomp profile"),
                tried(
                        "system.pidfd",
                        "pidfd",
                        "exits and signals are exact",
                        Machine.pidfd(),
                        "Belay hears of exits and sends signals by it.",
                        "use Linux 5.6 or newer; in a container, allow pidfd_open and pidfd_send_signal in its"
                                + " seccomp profile"),
                tried(
                        "system.terminal",
                        "terminals",
                        "one was opened (TIOCGPTPEER)",
                        Machine.terminal(),
                        "Terminal sessions cannot start.",
                        "mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts /dev/pts; ln -sf pts/ptmx"
                                + " /dev/ptmx"),
                proc(),
                tag(),
                tried(
                        "system.host",
                        "Linux host",
                        "starts",
                        host,
                        "No session can start on this machine as it is.",
                        "do what the reason says, and what is said above"));
    }

    private static Finding kernel() {
        String name = System.getProperty("os.name");
        String release = System.getProperty("os.version");
        String value = name + " " + release;
        boolean fits = name.equals("Linux") && Machine.atLeast(release, KERNEL_MAJOR, KERNEL_MINOR);
        Finding finding = fits
                ? Finding.ok("system.kernel", "kernel", value)
                : Finding.missing(
                        "system.kernel",
                        "kernel",
                        value,
                        "Belay needs Linux 5.6 or newer, for openat2 and pidfd.",
                        "install a newer kernel, or run Belay on another machine");
        return finding.with("name", name).with("release", release);
    }

    private static Finding processor() {
        String processor = System.getProperty("os.arch");
        Trial known = Machine.processor();
        Finding finding = known.worked()
                ? Finding.ok("system.processor", "processor", processor)
                : Finding.missing(
                        "system.processor",
                        "processor",
                        processor,
                        known.why(),
                        "run Belay on Linux on an x86_64 or aarch64 processor");
        return finding.with("name", processor);
    }

    static Finding cLibrary(Machine.CLibrary library) {
        String value = (library.name() + " " + library.version()).strip();
        Finding finding;
        if (library.isGnu() && library.version().isEmpty()) {
            finding = Finding.note(
                    "system.libc", "C library", value, "Its version could not be asked without native access.", "");
        } else if (library.isGnu() && Machine.atLeast(library.version(), GLIBC_MAJOR, GLIBC_MINOR)) {
            finding = Finding.ok("system.libc", "C library", value);
        } else {
            finding = Finding.missing(
                    "system.libc",
                    "C library",
                    value,
                    "Belay needs the GNU C library 2.34 or newer, for its posix_spawn.",
                    "use Debian 12, Ubuntu 22.04, RHEL 9 or newer, or an image made of one of them");
        }
        return finding.with("name", library.name()).with("version", library.version());
    }

    private static Finding proc() {
        Trial readable = Machine.proc();
        String hidden = Machine.hidepid().orElse("");
        Finding finding;
        if (!readable.worked()) {
            finding = Finding.missing(
                    "system.proc",
                    "/proc",
                    readable.why(),
                    "Belay finds the processes of a session there.",
                    "mount -t proc proc /proc");
        } else if (!hidden.isEmpty()) {
            finding = Finding.note(
                    "system.proc",
                    "/proc",
                    "readable, hidepid=" + hidden,
                    "Unless Belay runs as root, closing a session does not find what it runs as other users, such as"
                            + " by sudo.",
                    "mount -o remount,hidepid=0 /proc");
        } else {
            finding = Finding.ok("system.proc", "/proc", "readable, processes of all users");
        }
        return finding.with("readable", readable.worked()).with("hidepid", hidden.isEmpty() ? "0" : hidden);
    }

    private static Finding tag() {
        Trial tag = Machine.tag();
        Finding finding = tag.worked()
                ? Finding.ok("system.tag", "tags", "processes of a session can be tagged")
                : Finding.note(
                        "system.tag",
                        "tags",
                        tag.why(),
                        "A process that detaches and clears its environment may outlive its session.",
                        "remove the limit of file locks: 'locks' in /etc/security/limits.conf, or LimitLOCKS=infinity"
                                + " in the service's unit");
        return finding.with("works", tag.worked());
    }

    private static Finding tried(String key, String label, String value, Trial trial, String meaning, String fix) {
        Finding finding =
                switch (trial.result()) {
                    case WORKED -> Finding.ok(key, label, value);
                    case FAILED -> Finding.missing(key, label, "failed: " + trial.why(), meaning, fix);
                    case NOT_TRIED ->
                        Finding.note(key, label, "not tried: " + trial.why(), "It could not be found out.", "");
                };
        return finding.with("works", trial.worked());
    }
}

package dev.belay.cli;

import dev.belay.linux.Attempt;
import dev.belay.linux.Machine;
import java.util.List;

/// The kernel and the C library, and whether the features that Belay needs work.
final class SystemFacts {
    private static final int KERNEL_MAJOR = 5;
    private static final int KERNEL_MINOR = 6;
    private static final int GLIBC_MAJOR = 2;
    private static final int GLIBC_MINOR = 34;

    private SystemFacts() {}

    static List<Finding> look() {
        // First of all: only the first use of the C library reports what is missing; later ones just fail.
        Attempt host = Machine.host();
        return List.of(
                kernel(),
                processor(),
                cLibrary(Machine.cLibrary()),
                tried(
                        "system.openat2",
                        "openat2",
                        "works; keeps working folders in the workspace",
                        Machine.openat2(),
                        "Belay opens working folders with openat2.",
                        "use Linux 5.6 or newer; in a container, allow openat2 in its seccomp profile"),
                tried(
                        "system.pidfd",
                        "pidfd",
                        "works; exits and signals are exact",
                        Machine.pidfd(),
                        "Belay waits for exits and sends signals with pidfd.",
                        "use Linux 5.6 or newer; in a container, allow pidfd_open and pidfd_send_signal in its"
                                + " seccomp profile"),
                tried(
                        "system.terminal",
                        "terminals",
                        "can be opened (TIOCGPTPEER)",
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
                        "No session can start on this machine.",
                        "follow the reason given here and the fixes above"));
    }

    private static Finding kernel() {
        String name = System.getProperty("os.name");
        String release = System.getProperty("os.version");
        Finding finding = Finding.ok("system.kernel", "kernel", name + " " + release)
                .with("name", name).with("release", release);
        return name.equals("Linux") && Machine.atLeast(release, KERNEL_MAJOR, KERNEL_MINOR)
                ? finding
                : finding.missing(
                        "Belay needs Linux 5.6 or newer, for openat2 and pidfd.",
                        "upgrade the kernel, or run Belay on another machine");
    }

    private static Finding processor() {
        String processor = System.getProperty("os.arch");
        Attempt known = Machine.processor();
        Finding finding = Finding.ok("system.processor", "processor", processor).with("name", processor);
        return known.worked()
                ? finding
                : finding.missing(known.why(), "run Belay on x86_64 or aarch64");
    }

    static Finding cLibrary(Machine.CLibrary library) {
        Finding finding = Finding.ok(
                "system.libc", "C library", (library.name() + " " + library.version()).strip())
                .with("name", library.name()).with("version", library.version());
        if (library.isGnu() && library.version().isEmpty()) {
            return finding.note("Its version is unknown without native access.", "");
        }
        return library.isGnu() && Machine.atLeast(library.version(), GLIBC_MAJOR, GLIBC_MINOR)
                ? finding
                : finding.missing(
                        "Belay needs glibc 2.34 or newer, for its posix_spawn.",
                        "use Debian 12, Ubuntu 22.04, RHEL 9 or newer, or a container image based on one of them");
    }

    private static Finding proc() {
        Attempt readable = Machine.proc();
        String hidden = Machine.hidepid().orElse("");
        String value = !readable.worked()
                ? readable.why()
                : hidden.isEmpty() ? "readable, processes of all users" : "readable, hidepid=" + hidden;
        Finding finding = Finding.ok("system.proc", "/proc", value)
                .with("readable", readable.worked()).with("hidepid", hidden.isEmpty() ? "0" : hidden);
        if (!readable.worked()) {
            return finding.missing("Belay finds the processes of a session in /proc.", "mount -t proc proc /proc");
        }
        return hidden.isEmpty()
                ? finding
                : finding.note(
                        "Unless Belay runs as root, closing a session does not find processes that run as other users,"
                                + " for example through sudo.",
                        "mount -o remount,hidepid=0 /proc");
    }

    private static Finding tag() {
        Attempt tag = Machine.tag();
        Finding finding = Finding.ok(
                "system.tag", "tags", tag.worked() ? "processes of a session can be tagged" : tag.why())
                .with("works", tag.worked());
        return tag.worked()
                ? finding
                : finding.note(
                        "A process that detaches and clears its environment may outlive its session.",
                        "remove the limit on file locks: 'locks' in /etc/security/limits.conf, or LimitLOCKS=infinity"
                                + " in the service's unit");
    }

    private static Finding tried(String key, String label, String works, Attempt trial, String meaning, String fix) {
        String value = switch (trial.result()) {
            case WORKED -> works;
            case FAILED -> "failed: " + trial.why();
            case NOT_TRIED -> "not tried: " + trial.why();
        };
        Finding finding = Finding.ok(key, label, value).with("works", trial.worked());
        return switch (trial.result()) {
            case WORKED -> finding;
            case FAILED -> finding.missing(meaning, fix);
            case NOT_TRIED -> finding.note("Unknown; the check did not run.", "");
        };
    }
}

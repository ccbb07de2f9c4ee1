package dev.belay.linux;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import java.lang.foreign.MemoryLayout;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Checks the constants of [Abi] and [Errno], and the few in other files, against the C headers of both processors by
/// compiling them.
class AbiTest {
    private static final String HEADERS = """
            #define _GNU_SOURCE
            #include <dirent.h>
            #include <errno.h>
            #include <fcntl.h>
            #include <poll.h>
            #include <sched.h>
            #include <signal.h>
            #include <spawn.h>
            #include <stddef.h>
            #include <unistd.h>
            #include <sys/epoll.h>
            #include <sys/eventfd.h>
            #include <sys/file.h>
            #include <sys/ioctl.h>
            #include <sys/prctl.h>
            #include <sys/resource.h>
            #include <sys/socket.h>
            #include <sys/stat.h>
            #include <sys/syscall.h>
            #include <sys/uio.h>
            #include <sys/wait.h>
            #include <linux/audit.h>
            #include <linux/filter.h>
            #include <linux/landlock.h>
            #include <linux/major.h>
            #include <linux/openat2.h>
            #include <linux/seccomp.h>
            #include <asm/termbits.h>
            #include <asm/ioctls.h>
            """;

    /// Constants that have no name in C.
    private static final Map<String, String> EXPRESSIONS = Map.ofEntries(
            Map.entry("SYS_PIDFD_SEND_SIGNAL", "SYS_pidfd_send_signal"),
            Map.entry("SYS_PIDFD_OPEN", "SYS_pidfd_open"),
            Map.entry("SYS_OPENAT2", "SYS_openat2"),
            Map.entry("SYS_CLONE3", "SYS_clone3"),
            Map.entry("SYS_LANDLOCK_CREATE_RULESET", "SYS_landlock_create_ruleset"),
            Map.entry("SYS_LANDLOCK_ADD_RULE", "SYS_landlock_add_rule"),
            Map.entry("SYS_LANDLOCK_RESTRICT_SELF", "SYS_landlock_restrict_self"),
            Map.entry("SYS_IO_URING_ENTER", "SYS_io_uring_enter"),
            Map.entry("SYS_EPOLL_PWAIT2", "SYS_epoll_pwait2"),
            Map.entry("SYS_IO_URING_SETUP", "SYS_io_uring_setup"),
            Map.entry("SYS_IO_URING_REGISTER", "SYS_io_uring_register"),
            Map.entry("X32_SYSCALL_BIT", "0x40000000"),
            Map.entry("LANDLOCK_CREATE_RULESET_VERSION", "LANDLOCK_CREATE_RULESET_VERSION"),
            Map.entry("LANDLOCK_RULE_PATH_BENEATH", "LANDLOCK_RULE_PATH_BENEATH"),
            Map.entry("READ", "LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE"
                    + " | LANDLOCK_ACCESS_FS_READ_DIR"),
            // Truncating came after the headers of Debian 12.
            Map.entry("WRITE", "LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE"
                    + " | LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR"
                    + " | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG"
                    + " | LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_SYM | LANDLOCK_ACCESS_FS_REFER"
                    + " | 1 << 14"),
            Map.entry("INSTRUCTION_BYTES", "sizeof(struct sock_filter)"),
            Map.entry("STATX_BYTES", "sizeof(struct statx)"),
            Map.entry("STATX_ATTRIBUTES_OFFSET", "offsetof(struct statx, stx_attributes)"),
            Map.entry("STATX_SIZE_OFFSET", "offsetof(struct statx, stx_size)"),
            Map.entry("STATX_CTIME_OFFSET", "offsetof(struct statx, stx_ctime)"),
            Map.entry("STATX_MTIME_OFFSET", "offsetof(struct statx, stx_mtime)"),
            Map.entry("STATX_NLINK_OFFSET", "offsetof(struct statx, stx_nlink)"),
            Map.entry("STATX_UID_OFFSET", "offsetof(struct statx, stx_uid)"),
            Map.entry("STATX_MODE_OFFSET", "offsetof(struct statx, stx_mode)"),
            Map.entry("STATX_INO_OFFSET", "offsetof(struct statx, stx_ino)"),
            Map.entry("STATX_RDEV_OFFSET", "offsetof(struct statx, stx_rdev_major)"),
            Map.entry("STATX_DEV_OFFSET", "offsetof(struct statx, stx_dev_major)"),
            Map.entry("POLLFD_BYTES", "sizeof(struct pollfd)"),
            Map.entry("POLLFD_EVENTS", "offsetof(struct pollfd, events)"),
            Map.entry("IOVEC_BYTES", "sizeof(struct iovec)"),
            Map.entry("TERMIOS_BYTES", "sizeof(struct termios)"),
            Map.entry("TERMIOS_IFLAG", "offsetof(struct termios, c_iflag)"),
            Map.entry("TERMIOS_OFLAG", "offsetof(struct termios, c_oflag)"),
            Map.entry("TERMIOS_CFLAG", "offsetof(struct termios, c_cflag)"),
            Map.entry("TERMIOS_CC", "offsetof(struct termios, c_cc)"),
            Map.entry("DIRENT_LENGTH", "offsetof(struct dirent64, d_reclen)"),
            Map.entry("DIRENT_NAME", "offsetof(struct dirent64, d_name)"),
            Map.entry("TERMIOS_LFLAG", "offsetof(struct termios, c_lflag)"),
            Map.entry("SIGINFO_BYTES", "sizeof(siginfo_t)"),
            Map.entry("SIGINFO_CODE", "offsetof(siginfo_t, si_code)"),
            Map.entry("SIGINFO_PID", "offsetof(siginfo_t, si_pid)"),
            Map.entry("SIGINFO_STATUS", "offsetof(siginfo_t, si_status)"),
            Map.entry("SPAWNATTR_BYTES", "sizeof(posix_spawnattr_t)"),
            Map.entry("FILE_ACTIONS_BYTES", "sizeof(posix_spawn_file_actions_t)"),
            Map.entry("SIGSET_BYTES", "sizeof(sigset_t)"));

    /// System calls that have another name in C.
    private static final Map<String, String> CALLS = Map.of(
            "epollWait", "SYS_epoll_wait",
            "epollPwait", "SYS_epoll_pwait",
            "restart", "SYS_restart_syscall");

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({"x86_64-linux-gnu-gcc, amd64", "aarch64-linux-gnu-gcc, aarch64"})
    void everyNumberIsThatOfTheHeaders(String compiler, String arch) throws Exception {
        Abi abi = Abi.of("Linux", arch);
        Map<String, Long> checks = new LinkedHashMap<>();
        checks.put("sizeof(struct epoll_event)", (long) abi.epollEventBytes());
        checks.put("offsetof(struct epoll_event, data)", (long) abi.epollDataOffset());
        checks.put("sizeof(struct open_how)", 24L);
        checks.put("offsetof(struct open_how, resolve)", 16L);
        checks.put("sizeof(struct winsize)", 8L);
        checks.put("sizeof(struct rlimit)", 16L);
        checks.put("O_DIRECTORY", (long) abi.oDirectory());
        checks.put("O_NOFOLLOW", (long) abi.oNofollow());
        for (RecordComponent call : Abi.Calls.class.getRecordComponents()) {
            checks.put(
                    CALLS.getOrDefault(call.getName(), "SYS_" + call.getName()),
                    ((Integer) call.getAccessor().invoke(abi.calls())).longValue());
        }
        for (Record calls : List.of(abi.guardCalls(), abi.landlockCalls())) {
            for (RecordComponent call : calls.getClass().getRecordComponents()) {
                String name = "SYS_" + call.getName().replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
                checks.put(
                        name.replace("_call", ""), ((Integer) call.getAccessor().invoke(calls)).longValue());
            }
        }
        checks.put(arch.equals("amd64") ? "AUDIT_ARCH_X86_64" : "AUDIT_ARCH_AARCH64", (long) abi.auditArch());
        checks.put(arch.equals("amd64") ? "AUDIT_ARCH_I386" : "AUDIT_ARCH_ARM", (long) abi.auditArch32());
        checks.put("sizeof(struct seccomp_notif)", (long) ExecNotice.BYTES);
        checks.put("offsetof(struct seccomp_notif, data.args)", 32L);
        checks.put("sizeof(struct seccomp_notif_resp)", 24L);
        checks.put("sizeof(struct sock_fprog)", 16L);
        checks.put("sizeof(struct landlock_path_beneath_attr)", 12L);
        checks.put("offsetof(struct landlock_path_beneath_attr, parent_fd)", 8L);
        for (Class<?> table : List.of(
                Abi.class, Errno.class, OwnTerminal.class, ProcFile.class, Bpf.class, Landlock.class)) {
            boolean ofHeaders = table.equals(Abi.class) || table.equals(Errno.class);
            for (Field field : table.getDeclaredFields()) {
                if (Modifier.isStatic(field.getModifiers())
                        && field.getType().isPrimitive()
                        && (ofHeaders || EXPRESSIONS.containsKey(field.getName()))) {
                    field.setAccessible(true);
                    checks.put(
                            EXPRESSIONS.getOrDefault(field.getName(), field.getName()),
                            ((Number) field.get(null)).longValue());
                }
            }
        }
        assertThat(checks).hasSizeGreaterThan(60).containsKeys(EXPRESSIONS.values().toArray(String[]::new));
        StringBuilder source = new StringBuilder(HEADERS);
        checks.forEach((expression, value) -> {
            if (expression.startsWith("SYS_") && value == Abi.Calls.NONE) {
                source.append("#ifdef %1$s\n#error %1$s\n#endif\n".formatted(expression));
            } else {
                source.append("_Static_assert((unsigned) (%1$s) == (unsigned) %2$dLL, \"%1$s\");\n"
                        .formatted(expression, value));
            }
        });
        Path file = Files.writeString(folder.resolve("abi.c"), source);
        assertThat(Jvm.run(new ArrayList<>(List.of(compiler, "-fsyntax-only", file.toString())))).isEmpty();
    }

    @Test
    void errnoIsWhereTheJvmPutsIt() {
        assertThat(Libc.STATE.byteOffset(MemoryLayout.PathElement.groupElement("errno"))).isEqualTo(Libc.ERRNO);
    }

    @Test
    void otherSystemsAreRefusedByName() {
        assertThat(org.assertj.core.api.Assertions.catchThrowableOfType(
                SessionException.class, () -> Abi.of("Mac OS X", "aarch64"))
                .getMessage())
                .contains("Mac OS X");
        SessionException refusal = org.assertj.core.api.Assertions.catchThrowableOfType(
                SessionException.class, () -> Abi.of("Linux", "riscv64"));
        assertThat(refusal.code()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(refusal).hasMessageContaining("riscv64");
    }
}

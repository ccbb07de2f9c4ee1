package dev.belay.linux;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.linux.CgroupSupport.Version;
import dev.belay.testkit.LeakCheck;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@ExtendWith(LeakCheck.class)
@Timeout(60)
class MachineTest {
    private static final String V2 = """
            22 1 0:21 / / rw,relatime - overlay overlay rw
            24 22 0:6 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate
            """;
    private static final String V1 = """
            31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
            32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct
            35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
            40 31 0:37 / /sys/fs/cgroup/systemd rw,relatime - cgroup cgroup rw,xattr,name=systemd
            """;
    private static final String UNIFIED = """
            41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
            """;

    @Test
    void hereEverythingWorks() {
        assertThat(List.of(
                Machine.processor(),
                Machine.proc(),
                Machine.openat2(),
                Machine.pidfd(),
                Machine.terminal(),
                Machine.tag(),
                Machine.host()))
                .allMatch(Attempt::worked);
        assertThat(Machine.nativeAccess()).isTrue();
    }

    @Test
    void theCLibraryIsTheOneThatGetconfNames() throws Exception {
        Machine.CLibrary library = Machine.cLibrary();
        assertThat(library.isGnu()).isTrue();
        assertThat(Jvm.run(List.of("getconf", "GNU_LIBC_VERSION")))
                .isEqualTo("glibc " + library.version() + "\n");
    }

    @Test
    void theNumbersOfTerminalsAreTheKernels() throws Exception {
        Machine.Terminals terminals = Machine.terminals().orElseThrow();
        assertThat(terminals.reserved())
                .isEqualTo(Long.parseLong(Jvm.run(List.of("cat", "/proc/sys/kernel/pty/reserve")).strip()));
        assertThat(terminals.max())
                .isPositive()
                .isLessThanOrEqualTo(
                        Long.parseLong(Jvm.run(List.of("cat", "/proc/sys/kernel/pty/max")).strip()));
    }

    @Test
    void theLimitOfOpenFilesIsTheOneAShellSees() throws Exception {
        Machine.Limit limit = Machine.limit("Max open files").orElseThrow();
        assertThat(Jvm.run(List.of("/bin/sh", "-c", "ulimit -Hn")).strip())
                .isEqualTo(limit.hard() == Machine.Limit.UNLIMITED ? "unlimited" : Long.toString(limit.hard()));
    }

    @ParameterizedTest
    @CsvSource({"2.34, true", "2.36, true", "2.33, false", "2.4, false", "3.0, true", "2.34.9000, true", "2, false",
            "'', false", "1.99, false"})
    void versionsAreComparedByNumber(String version, boolean enough) {
        assertThat(Machine.atLeast(version, 2, 34)).isEqualTo(enough);
    }

    @ParameterizedTest
    @CsvSource({"5.6.0, true", "5.10.0-28-amd64, true", "6.18.44-fc-v445, true", "5.4.0-150-generic, false",
            "4.19.0+, false"})
    void releasesOfTheKernelAreComparedByNumber(String release, boolean enough) {
        assertThat(Machine.atLeast(release, 5, 6)).isEqualTo(enough);
    }

    @ParameterizedTest
    @CsvSource(nullValues = "none", value = {"rw, none", "'rw,hidepid=0', none", "'rw,hidepid=off', none",
            "'rw,hidepid=2', 2", "'rw,gid=4,hidepid=invisible', invisible", "'rw,hidepid=ptraceable', ptraceable"})
    void hidepidIsReadFromTheOptionsOfProc(String options, String hidden) {
        String mountinfo = "22 27 0:21 / /proc rw,nosuid shared:5 master:1 - proc proc " + options + "\n"
                + "23 27 0:22 / /elsewhere rw - proc proc rw,hidepid=1\n";
        assertThat(Machine.hidepid(mountinfo).orElse(null)).isEqualTo(hidden);
    }

    @Test
    void theLastMountAtAPlaceIsTheOneThatIsSeen() {
        String mountinfo = "1 0 0:1 / /proc rw - proc proc rw,hidepid=2\n2 0 0:2 / /proc rw - proc proc rw\n";
        assertThat(Machine.hidepid(mountinfo)).isEmpty();
    }

    @Test
    void namesOfMountPointsAreUnescaped() {
        Mounts mounts = Mounts.parse("1 0 0:1 / /a\\040b\\134c rw - ext4 /dev/x rw\nnonsense\n");
        assertThat(mounts.list()).extracting(Mounts.Mount::point).containsExactly("/a b\\c");
    }

    @Test
    void controlGroupsOfVersion2() {
        CgroupSupport groups = CgroupSupport.parse(V2, "0::/user.slice/user-1000.slice\n");
        assertThat(groups.version()).isEqualTo(Version.V2);
        assertThat(groups.mount()).isEqualTo("/sys/fs/cgroup");
        assertThat(groups.own()).isEqualTo("/user.slice/user-1000.slice");
        assertThat(groups.folder()).isEqualTo(Path.of("/sys/fs/cgroup/user.slice/user-1000.slice"));
    }

    @Test
    void controlGroupsOfVersion1() {
        CgroupSupport groups = CgroupSupport.parse(V1, "4:memory:/\n1:name=systemd:/\n");
        assertThat(groups.version()).isEqualTo(Version.V1);
        assertThat(groups.controllers()).containsExactly("cpu", "cpuacct", "memory");
        assertThat(groups.folder()).isNull();
        assertThat(groups.delegated().worked()).isFalse();
    }

    @Test
    void controlGroupsOfBothVersions() {
        CgroupSupport groups = CgroupSupport.parse(V1 + UNIFIED, "4:memory:/\n0::/\n");
        assertThat(groups.version()).isEqualTo(Version.HYBRID);
        assertThat(groups.mount()).isEqualTo("/sys/fs/cgroup/unified");
        assertThat(groups.folder()).isEqualTo(Path.of("/sys/fs/cgroup/unified"));
        assertThat(groups.controllers()).containsExactly("cpu", "cpuacct", "memory");
    }

    @Test
    void aContainersOwnGroupMayBeTheRootOfTheMount() {
        String mountinfo = "1 0 0:1 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw\n";
        assertThat(CgroupSupport.parse(mountinfo, "0::/docker/abc/x\n").folder())
                .isEqualTo(Path.of("/sys/fs/cgroup/x"));
        assertThat(CgroupSupport.parse(mountinfo, "0::/docker/abc\n").folder()).isEqualTo(Path.of("/sys/fs/cgroup"));
        assertThat(CgroupSupport.parse(mountinfo, "0::/elsewhere\n").folder()).isNull();
        assertThat(CgroupSupport.parse(V2, "0::/../other\n").folder()).isNull();
    }

    @Test
    void withoutControlGroupsThereAreNone() {
        CgroupSupport groups = CgroupSupport.parse("", "");
        assertThat(groups.version()).isEqualTo(Version.NONE);
        assertThat(groups.delegated().worked()).isFalse();
    }

    @Test
    void limitsAreReadByTheirName() {
        String limits = """
                Limit                     Soft Limit           Hard Limit           Units
                Max open files            1024                 524288               files
                Max file locks            unlimited            unlimited            locks
                """;
        assertThat(Machine.limit(limits, "Max open files")).contains(new Machine.Limit(1024, 524288));
        assertThat(Machine.limit(limits, "Max file locks"))
                .contains(new Machine.Limit(Machine.Limit.UNLIMITED, Machine.Limit.UNLIMITED));
        assertThat(Machine.limit(limits, "Max processes")).isEmpty();
    }

    @Test
    void memoryIsReadInKibibytes() {
        assertThat(Machine.memory("MemTotal:       2048 kB\nMemFree: 1 kB\nMemAvailable:     1024 kB\n"))
                .contains(new Machine.Memory(2 << 20, 1 << 20));
        assertThat(Machine.memory("")).isEmpty();
    }
}

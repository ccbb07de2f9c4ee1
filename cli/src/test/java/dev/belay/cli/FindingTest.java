package dev.belay.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.cli.Finding.Status;
import dev.belay.linux.Machine;
import dev.belay.linux.Machine.Limit;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// What the doctor makes of facts that this machine does not have.
class FindingTest {
    @ParameterizedTest
    @CsvSource({"glibc, 2.36, OK", "glibc, 2.34, OK", "glibc, 2.31, MISSING", "musl, '', MISSING", "glibc, '', NOTE"})
    void theCLibraryHasToBeGnuAndNewEnough(String name, String version, Status status) {
        assertThat(SystemFacts.cLibrary(new Machine.CLibrary(name, version)).status()).isEqualTo(status);
    }

    @ParameterizedTest
    @CsvSource({"4096, 3, 1024, OK, 3069", "1030, 3, 1024, NOTE, 3", "16, 16, 0, MISSING, 0"})
    void terminalsThatAreNotThereAreTold(long max, long inUse, long reserved, Status status, long room) {
        Finding finding = RoomFacts.terminals(Optional.of(new Machine.Terminals(max, inUse, reserved)));
        assertThat(finding.status()).isEqualTo(status);
        assertThat(finding.data()).containsEntry("sessions", room);
        assertThat(finding.fix().isEmpty()).isEqualTo(status == Status.OK);
    }

    @ParameterizedTest
    @CsvSource({"1024, 4096, OK", "64, 4096, NOTE", "20, 20, MISSING"})
    void aLowLimitOfOpenFilesIsTold(long soft, long hard, Status status) {
        assertThat(RoomFacts.openFiles(Optional.of(new Limit(soft, hard)), 20).status()).isEqualTo(status);
    }

    @Test
    void noLimitIsNoNumber() {
        Finding finding = RoomFacts.openFiles(Optional.of(new Limit(Limit.UNLIMITED, Limit.UNLIMITED)), 20);
        assertThat(finding.status()).isEqualTo(Status.OK);
        assertThat(finding.value()).isEqualTo("unlimited (hard limit unlimited); room for any number of sessions");
        assertThat(finding.data()).containsEntry("soft", "unlimited").containsEntry("pipe_sessions", "unlimited");
        assertThat(RoomFacts.processes(Optional.of(new Limit(100, 100))).status()).isEqualTo(Status.NOTE);
        assertThat(RoomFacts.processes(Optional.empty()).status()).isEqualTo(Status.NOTE);
    }

    @Test
    void theFirstProcessOfAContainerIsToldToHaveAnInit() {
        assertThat(ProcessFacts.first(1).fix()).contains("--init");
        assertThat(ProcessFacts.first(2).status()).isEqualTo(Status.OK);
    }

    @Test
    void theJsonIsInAsciiWhateverAFactHolds() {
        Finding odd =
                Finding.ok("a", "a", "a\"\\\n\t\u0001\u00e9\ud83d\ude00").with("n", 2L).with("list", List.of("x"));
        String json = new DoctorReport("1", List.of(new DoctorReport.Group("G", List.of(odd)))).json();
        assertThat(json).isASCII();
        JsonNode check = JsonMapper.shared().readTree(json).path("checks").path("a");
        assertThat(check.path("value").stringValue()).isEqualTo(odd.value());
        assertThat(check.path("data").toString()).isEqualTo("{\"n\":2,\"list\":[\"x\"]}");
    }

    @Test
    void theSummaryCounts() {
        DoctorReport report = new DoctorReport(
                "1",
                List.of(new DoctorReport.Group(
                        "G",
                        List.of(
                                Finding.ok("a", "a", "fine"),
                                Finding.ok("b", "long", "so so").note("It is slow.", "do this"),
                                Finding.ok("c", "c", "not there").missing("It is needed.", "do that")))));
        assertThat(report.complete()).isFalse();
        assertThat(report.text(false)).isEqualTo("""
                G
                  ok       a     fine
                  note     long  so so
                                 It is slow.
                                 Fix: do this
                  missing  c     not there
                                 It is needed.
                                 Fix: do that

                One thing that Belay needs is missing (1 note).
                """);
    }
}

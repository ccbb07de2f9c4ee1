package dev.belay.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Isolation;
import dev.belay.linux.LinuxHost;
import dev.belay.linux.Machine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Sandboxes by Landlock that requests ask for, in a Git checkout.
class LandlockRequestTest extends WithServer {
    private static final int ENOUGH = 6;

    @Override
    LinuxHost host(Path workspace) throws IOException {
        Files.createDirectories(workspace.resolve(".git/hooks"));
        LinuxHost host = super.host(workspace).sandboxedBy(List.of("landlock"));
        if (ProcessHandle.current().info().user().filter("root"::equals).isEmpty()) {
            return host;
        }
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        return host.runAs("nobody");
    }

    private Api.Answer open() throws Exception {
        return api.post(BOB, "/api/sessions", "{\"command\": [\"/bin/true\"], \"guard\": {\"tier\": \"sandbox\"}}");
    }

    private void refused(String why) throws Exception {
        Api.Answer answer = open();
        assertThat(answer.code()).isEqualTo("UNAVAILABLE");
        assertThat(answer.json().at("/error/reason").asString("")).isEqualTo("isolation");
        assertThat(answer.text()).contains(why);
    }

    @Test
    void aRequestProtectsWhatTheSettingsListAndNoMore() throws Exception {
        if (Machine.landlockAbi() < ENOUGH) {
            refused("Linux 6.12");
            return;
        }
        refused("protected = []");
        for (Isolation settings : List.of(Isolation.NONE, Isolation.SANDBOX.protectedPaths(List.of()))) {
            sessions.isolation(settings);
            Api.Answer answer = open();
            assertThat(answer.json().at("/guard/by").asString("")).as("%s", answer).isEqualTo("landlock");
        }
        sessions.isolation(Isolation.NONE.protectedPaths(List.of(".git")));
        refused("protected = []");
    }
}

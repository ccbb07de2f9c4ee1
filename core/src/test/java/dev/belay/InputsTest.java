package dev.belay;

import static dev.belay.Stage.isRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Input with an id is written once, whatever happens.
class InputsTest {
    @TempDir
    Path folder;

    private Stage stage;
    private Stage.Act act;
    private Session ann;
    private Session bob;

    @BeforeEach
    void open() {
        stage = Stage.in(folder);
        act = stage.open();
        ann = act.session().as(new Actor("ann"));
        bob = act.session().as(new Actor("bob"));
    }

    @AfterEach
    void close() {
        stage.close();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void theSameInputIsWrittenOnceAndAnsweredAsTheFirstTime() throws Exception {
        act.process().accepts(3);
        assertThat(ann.writeOnce(bytes("hello"), "1")).isEqualTo(3);
        act.process().accepts(Integer.MAX_VALUE);
        assertThat(ann.writeOnce(bytes("hello"), "1")).isEqualTo(3);
        assertThat(act.process().input()).isEqualTo("hel");
        assertThat(stage.sessions.stats().inputsRepeated()).isEqualTo(1);
    }

    @Test
    void idsOfOnePrincipalAreNotThoseOfAnother() throws Exception {
        assertThat(ann.writeOnce(bytes("a"), "1")).isEqualTo(1);
        assertThat(bob.writeOnce(bytes("b"), "1")).isEqualTo(1);
        assertThat(act.process().input()).isEqualTo("ab");
    }

    @Test
    void otherBytesUnderAKnownIdAreRefused() throws Exception {
        ann.writeOnce(bytes("yes"), "1");
        isRefused(ErrorCode.ALREADY_EXISTS, () -> ann.writeOnce(bytes("no"), "1"));
        assertThat(act.process().input()).isEqualTo("yes");
    }

    @Test
    void anInputThatBrokeOffGoesOnWhereItWas() throws Exception {
        act.process().breaksOffAfter(2);
        assertThatThrownBy(() -> ann.writeOnce(bytes("hello"), "1")).isInstanceOf(InterruptedException.class);
        assertThat(act.process().input()).isEqualTo("he");
        assertThat(ann.writeOnce(bytes("hello"), "1")).isEqualTo(5);
        assertThat(ann.writeOnce(bytes("hello"), "1")).isEqualTo(5);
        assertThat(act.process().input()).isEqualTo("hello");
        assertThat(stage.sessions.stats().bytesTaken()).isEqualTo(5);
    }

    @Test
    void anInputOfWhichNothingWasWrittenMayBeChanged() throws Exception {
        Lease lease = bob.takeKeyboard(false, null);
        isRefused(ErrorCode.DENIED, () -> ann.writeOnce(bytes("early"), "1"));
        lease.giveBack();
        assertThat(ann.writeOnce(bytes("now"), "1")).isEqualTo(3);
    }

    @Test
    void anotherLifeOfTheSessionHasIdsOfItsOwn() throws Exception {
        ann.writeOnce(bytes("first"), "1");
        act.session().close();
        Stage.Act next = stage.open();
        assertThat(next.session().as(new Actor("ann")).writeOnce(bytes("second"), "1")).isEqualTo(6);
        assertThat(next.process().input()).isEqualTo("second");
    }

    @Test
    void theLast1024IdsOfAPrincipalAreKnown() throws Exception {
        for (int i = 0; i <= Inputs.REMEMBERED; i++) {
            ann.writeOnce(bytes("x"), "id" + i);
            bob.writeOnce(bytes("y"), "id");
        }
        assertThat(ann.writeOnce(bytes("x"), "id1")).isEqualTo(1);
        assertThat(act.process().input()).hasSize(Inputs.REMEMBERED + 2);
        ann.writeOnce(bytes("z"), "id0");
        assertThat(act.process().input()).as("the oldest is forgotten").endsWith("z");
    }

    @Test
    void anIdHas1To128Characters() {
        isRefused(ErrorCode.INVALID_REQUEST, () -> ann.writeOnce(bytes("x"), ""));
        isRefused(ErrorCode.INVALID_REQUEST, () -> ann.writeOnce(bytes("x"), "i".repeat(129)));
    }
}

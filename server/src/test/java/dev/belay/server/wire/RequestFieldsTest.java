package dev.belay.server.wire;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class RequestFieldsTest {
    @Test
    void aFieldThatNobodyAskedForIsToldWithThoseThatThereAre() {
        RequestFields body = new RequestFields(Json.object().put("x", 1));
        assertThatThrownBy(body::requireNoMore).hasMessage("There is no field 'x' here; it takes none.");
        body.text("cmd");
        body.text("args");
        assertThatThrownBy(body::requireNoMore).hasMessage("There is no field 'x' here; use one of args, cmd.");
    }
}

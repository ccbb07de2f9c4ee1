package dev.belay.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import com.knuddels.jtokkit.Encodings;
import com.knuddels.jtokkit.api.EncodingType;
import dev.belay.ErrorCode;
import dev.belay.agent.CloseResult;
import dev.belay.agent.ExecResult;
import dev.belay.agent.ListResult;
import dev.belay.agent.OutputResult;
import dev.belay.agent.ToolError;
import dev.belay.agent.ToolResult;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// What a model reads of an answer.
class AnswerTextTest {
    private static final ToolError ERROR = new ToolError(ErrorCode.NOT_FOUND, "There is no session 'x'.", Map.of());

    private static ExecResult exec(String output, @Nullable Integer exitCode, @Nullable String signal, int survivors,
            @Nullable Boolean waits, boolean echoOff, @Nullable String hint) {
        return new ExecResult("py", output, exitCode == null, exitCode, false, signal, survivors, 1, 0, 0, 0, 0,
                "exit", waits, echoOff, null, null, hint, null, List.of());
    }

    private static String text(ToolResult result) {
        return AnswerText.of(result);
    }

    @Test
    void aCommandThatSucceededIsItsOutputAndNothingElse() {
        String echo = text(exec("hi\r\n", 0, null, 0, false, false, null));
        assertThat(echo).isEqualTo("hi\n");
        int tokens = Encodings.newLazyEncodingRegistry().getEncoding(EncodingType.O200K_BASE).countTokens(echo);
        assertThat(tokens).isLessThanOrEqualTo(20);
        assertThat(text(exec("", 0, null, 0, false, false, null))).isEqualTo("[exit 0]");
    }

    @Test
    void theStatusLineSaysWhatTheOutputDoesNot() {
        assertThat(text(exec("no\r\n", 1, null, 0, false, false, null))).isEqualTo("no\n[exit 1]");
        assertThat(text(exec("", 137, "SIGKILL", 0, false, false, null))).isEqualTo("[exit 137 by SIGKILL]");
        assertThat(text(exec("x", 0, null, 1, false, false, null)))
                .isEqualTo("x\n[exit 0, session py, left running: 1 process]");
        assertThat(text(exec(">>> ", null, null, 0, true, false, null)))
                .isEqualTo(">>> \n[running, session py, waits for input]");
        assertThat(text(exec("Password: ", null, null, 0, true, true, null)))
                .isEqualTo("Password: \n[running, session py, wants a password]");
        assertThat(text(exec("", null, null, 0, false, false, "Go on.")))
                .isEqualTo("[running, session py, Go on.]");
    }

    @Test
    void otherAnswersAreAsShort() {
        assertThat(text(ExecResult.failed(null, 1, ERROR))).isEqualTo("[NOT_FOUND: There is no session 'x'.]");
        assertThat(text(new OutputResult("py", "a\r\n", 0, 3, 3, false, 0, false, 0, null, null))).isEqualTo("a\n");
        assertThat(text(new OutputResult("py", "a\r\n", 0, 3, 3, true, 9, true, null, null, null)))
                .isEqualTo("a\n[running, more: from=3]");
        assertThat(text(new OutputResult("py", "", 3, 3, 3, false, 0, false, 0, null, null))).isEqualTo("[exit 0]");
        assertThat(text(OutputResult.failed("x", ERROR))).startsWith("[NOT_FOUND");
        assertThat(text(new CloseResult("py", 129, "SIGHUP", 3, 1, null)))
                .isEqualTo("[closed, exit 129 by SIGHUP, ended 3 processes (1 killed)]");
        assertThat(text(new CloseResult("py", 0, null, 0, 0, null))).isEqualTo("[closed, exit 0]");
        assertThat(text(CloseResult.failed("x", ERROR))).startsWith("[NOT_FOUND");
        assertThat(text(new ListResult(List.of(), null))).isEqualTo("[no sessions]");
        assertThat(text(ListResult.failed(ERROR))).startsWith("[NOT_FOUND");
    }
}

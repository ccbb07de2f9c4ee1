package dev.belay.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.json.JsonMapper;

class ArgumentsTest {
    private static Arguments of(String json) {
        return new Arguments("list", JsonMapper.shared().readTree(json));
    }

    @Test
    void anArgumentThatNobodyAskedForIsToldWithThoseThatThereAre() {
        Arguments arguments = of("{\"x\":1}");
        assertThatThrownBy(arguments::done).hasMessage("list has no argument 'x'; it takes none.");
        arguments.string("cmd", "");
        assertThatThrownBy(arguments::done).hasMessage("list has no argument 'x'; use one of cmd.");
    }

    @ParameterizedTest
    @CsvSource({
            "command, cmd", "CMD, cmd", "cwd, workdir", "work_dir, workdir", "timeout, timeout_ms", "id, session_id",
            "sessionId, session_id", "input, chars", "yield_time, yield_time_ms", "maxOutputTokens, max_output_tokens"})
    void aWrongNameIsAnsweredWithTheRightOne(String wrong, String right) {
        Arguments arguments = of("{\"" + wrong + "\":\"x\"}");
        for (String name : List.of("workdir", "timeout_ms", "yield_time_ms", "max_output_tokens")) {
            arguments.offset(name);
        }
        arguments.string("cmd");
        arguments.string("session_id");
        arguments.string("chars");
        assertThatThrownBy(arguments::done)
                .hasMessage("list has no argument '" + wrong + "'; did you mean " + right + "?");
    }

    @Test
    void aMissingArgumentIsToldWithTheNameThatWasGivenInItsPlace() {
        assertThatThrownBy(() -> of("{\"command\":\"ls\"}").requiredString("cmd"))
                .hasMessage("list needs cmd, and has no argument 'command'; did you mean cmd?");
        assertThatThrownBy(() -> of("{}").requiredString("cmd")).hasMessage("list needs cmd.");
    }

    @Test
    void whatIsWrittenAsTextIsUnderstood() {
        Arguments arguments = of("""
                {"number":" 5000 ","whole":3.0,"yes":"true","no":"false","keys":"ctrl-c","list":"[\\"a\\",\\"b\\"]",
                "wait_for":"{\\"exit\\":true}","env":{"CI":1,"DEBUG":true}}""");
        assertThat(arguments.integer("number")).isEqualTo(5000);
        assertThat(arguments.integer("whole")).isEqualTo(3);
        assertThat(arguments.flag("yes", false)).isTrue();
        assertThat(arguments.flag("no", true)).isFalse();
        assertThat(arguments.strings("keys")).containsExactly("ctrl-c");
        assertThat(arguments.strings("list")).containsExactly("a", "b");
        assertThat(arguments.object("wait_for")).satisfies(inner -> assertThat(inner.flag("exit", false)).isTrue());
        assertThat(arguments.stringMap("env")).containsEntry("CI", "1").containsEntry("DEBUG", "true");
        arguments.done();
    }

    @Test
    void whatCannotBeUnderstoodIsRefusedWithWhatIsExpected() {
        Arguments arguments =
                of("""
                                {"number":"soon","huge":4294967296,"half":1.5,"flag":"yes","keys":[1],
                        "env":{"A":{}},"wait_for":"ready"}""");
        assertThatThrownBy(() -> arguments.integer("number")).hasMessage("list: number must be a whole number.");
        assertThatThrownBy(() -> arguments.integer("huge")).hasMessageContaining("of at most 2147483647");
        assertThatThrownBy(() -> arguments.integer("half")).hasMessageContaining("a whole number");
        assertThatThrownBy(() -> arguments.flag("flag", false)).hasMessageContaining("true or false");
        assertThatThrownBy(() -> arguments.strings("keys")).hasMessageContaining("a list of strings");
        assertThatThrownBy(() -> arguments.stringMap("env")).hasMessageContaining("an object of strings");
        assertThatThrownBy(() -> arguments.object("wait_for")).hasMessage("list.wait_for must be an object.");
    }
}

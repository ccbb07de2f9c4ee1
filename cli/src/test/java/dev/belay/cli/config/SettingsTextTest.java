package dev.belay.cli.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.belay.SessionException;
import dev.belay.server.settings.TokenHash;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Tokens added to and removed from the text of a settings file.
@Tag("any-user")
class SettingsTextTest {
    private static final TokenHash ONE = TokenHash.of("one");
    private static final TokenHash TWO = TokenHash.of("two");
    private static final TokenHash NEW = TokenHash.of("new");

    /// Settings in which A, B and N stand for hashes.
    private static SettingsText text(String text) {
        return new SettingsText(filled(text), "belay.toml");
    }

    private static String filled(String text) {
        return text.replace("<A>", ONE.text()).replace("<B>", TWO.text()).replace("<N>", NEW.text());
    }

    @Test
    void aPrincipalIsAppendedAndTheRestStays() {
        String before = "# mine\n[server]\nport = 0   # any\n\n[[principals]]\nname = \"a\"\ntokens = [\"<A>\"]";
        String entry = "[[principals]]\nname = \"b\"\ntokens = [\"<N>\"]\n";
        assertThat(text(before).withPrincipal("b", filled(entry)).text()).isEqualTo(filled(before + "\n\n" + entry));
        assertThat(text("").withPrincipal("b", filled(entry)).text()).isEqualTo(filled(entry));
        assertThat(text("[server]\r\nport = 0\r\n").withPrincipal("b", filled(entry)).text())
                .isEqualTo(filled("[server]\r\nport = 0\r\n\r\n" + entry.replace("\n", "\r\n")));
    }

    @Test
    void aTokenJoinsTheOthersInTheirOwnStyle() {
        String entry = "[[principals]]\nname = \"ü\\u0061\"\n".replace("ü\\u0061", "a");
        assertThat(text(entry + "tokens = [\"<A>\"] # laptop\n").withToken("a", NEW).text())
                .isEqualTo(filled(entry + "tokens = [\"<A>\", \"<N>\"] # laptop\n"));
        assertThat(text(entry + "tokens = [ ]\n").withToken("a", NEW).text())
                .isEqualTo(filled(entry + "tokens = [\"<N>\" ]\n"));
        assertThat(text(entry + "role = \"watch\" # only\n").withToken("a", NEW).text())
                .isEqualTo(filled("[[principals]]\nname = \"a\"\ntokens = [\"<N>\"]\nrole = \"watch\" # only\n"));
        assertThat(text(entry + "tokens = [\n  \"<A>\", # laptop\n  '<B>' # phone\n]\n").withToken("a", NEW).text())
                .isEqualTo(filled(entry + "tokens = [\n  \"<A>\", # laptop\n  '<B>', # phone\n  \"<N>\"\n]\n"));
        assertThat(text(entry + "tokens = [\n\t\"<A>\",\n]\n").withToken("a", NEW).text())
                .isEqualTo(filled(entry + "tokens = [\n\t\"<A>\",\n\t\"<N>\",\n]\n"));
    }

    @Test
    void tokensAreRemovedWithTheirCommasAndComentsStay() {
        String entry = "# people\n[[principals]]\nname = \"a\" # äöü 漢\n";
        assertThat(text(entry + "tokens = [\"<A>\", \"<B>\"]\n").withoutTokens("a", Set.of(ONE)).text())
                .isEqualTo(filled(entry + "tokens = [\"<B>\"]\n"));
        assertThat(text(entry + "tokens = [\"<A>\", \"<B>\"]\n").withoutTokens("a", Set.of(TWO)).text())
                .isEqualTo(filled(entry + "tokens = [\"<A>\"]\n"));
        assertThat(text(entry + "tokens = [\"<A>\", '<B>',]\n").withoutTokens("a", Set.of(ONE, TWO)).text())
                .matches("(?s).*tokens = \\[ ?]\n");
        assertThat(text(entry + "tokens = [\n  \"<A>\", # laptop\n  \"<B>\",\n]\nrole = \"watch\"\n")
                .withoutTokens("a", Set.of(TWO)).text())
                .isEqualTo(filled(entry + "tokens = [\n  \"<A>\", # laptop\n]\nrole = \"watch\"\n"));
        assertThat(text(entry + "tokens = [\n  \"<A>\", # laptop\n  \"<B>\",\n]\n").withoutTokens("a", Set.of(ONE))
                .principals().getFirst().tokens()).containsExactly(TWO);
        assertThat(text(entry + "tokens = [\n  \"<A>\" # odd\n  , \"<B>\"\n]\n").withoutTokens("a", Set.of(TWO))
                .principals().getFirst().tokens()).containsExactly(ONE);
    }

    @Test
    void theSameHashElsewhereIsNotTouched() {
        String other = "# once: <A>\n[[principals]]\nname = \"b\"\ntokens = [\"<B>\"]\n";
        SettingsText left = text(other + "[[principals]]\nname = \"a\"\ntokens = [\"<A>\"]\n")
                .withoutTokens("a", Set.of(ONE));
        assertThat(left.text()).isEqualTo(filled(other + "[[principals]]\nname = \"a\"\ntokens = []\n"));
    }

    @Test
    void whatCannotBeChangedAloneIsRefused() {
        SettingsText inline = text("principals = [{name = \"a\", tokens = [\"<A>\"]}]\n");
        assertThatThrownBy(() -> inline.withPrincipal("b", filled("[[principals]]\nname = \"b\"\n")))
                .isInstanceOf(SessionException.class).hasMessageContaining("Nothing was changed");
        SettingsText escaped = text("[[principals]]\nname = \"a\"\ntokens = [\"\\u0073ha256:"
                + ONE.text().substring("sha256:".length()) + "\"]\n");
        assertThat(escaped.principals().getFirst().tokens()).containsExactly(ONE);
        assertThatThrownBy(() -> escaped.withoutTokens("a", Set.of(ONE)))
                .isInstanceOf(SessionException.class)
                .hasMessageContaining("nothing was changed. Edit the file, then run 'belay reload'");
        assertThatThrownBy(() -> text("").withToken("a", NEW)).isInstanceOf(Exception.class);
    }
}

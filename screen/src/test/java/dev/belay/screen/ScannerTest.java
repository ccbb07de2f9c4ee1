package dev.belay.screen;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScannerTest implements Scanner.Sink {
    private final Scanner scanner = new Scanner();
    private final List<Query> queries = new ArrayList<>();
    private final List<Told> told = new ArrayList<>();
    private long offset;

    private void feed(String text) {
        byte[] bytes = text.getBytes(UTF_8);
        scanner.feed(bytes, 0, bytes.length, offset, this);
        offset += bytes.length;
    }

    @Override
    public void query(Query query) {
        queries.add(query);
    }

    @Override
    public void told(Told what) {
        told.add(what);
    }

    private String answer(String state, String question) {
        Screen screen = new Screen(80, 24, ScreenLimits.defaults());
        screen.feed((state + question).getBytes(UTF_8));
        feed(question);
        assertThat(queries).hasSize(1);
        return screen.answer(queries.removeFirst(), Colours.defaults()).map(bytes -> new String(bytes, UTF_8))
                .orElse("");
    }

    @Test
    void questionsAreFoundWithTheirPlaces() {
        feed("text\033[6n\033[?25h");
        assertThat(queries).containsExactly(new Query(Query.Kind.STATUS, List.of(6), "", 4, 8));
        assertThat(told).containsExactly(new Told.Mode(true, 25, true, 14));
    }

    @Test
    void aStringsQuestionEndsWithItsTerminator() {
        feed("\033]11;?\033\\x\033]10;?\007\033P$qm\033\\");
        assertThat(queries).extracting(Query::from, Query::to).containsExactly(
                org.assertj.core.groups.Tuple.tuple(0L, 8L), org.assertj.core.groups.Tuple.tuple(9L, 16L),
                org.assertj.core.groups.Tuple.tuple(16L, 23L));
    }

    @Test
    void whatIsNotCompleteIsPendingFromItsBeginning() {
        feed("abc\033[");
        assertThat(scanner.pending()).isEqualTo(3);
        feed("6n");
        assertThat(scanner.pending()).isEqualTo(offset);
        feed("\033]11;?\033");
        assertThat(queries).hasSize(1);
        assertThat(scanner.pending()).isEqualTo(7);
        feed("\\");
        assertThat(queries).hasSize(2);
        assertThat(queries.get(1).to()).isEqualTo(offset);
        byte[] half = {(byte) 0xe4, (byte) 0xb8};
        scanner.feed(half, 0, 2, offset, this);
        assertThat(scanner.pending()).isEqualTo(offset);
    }

    @Test
    void imagesAreNotHeldBackHoweverLong() {
        feed("\033Pq" + "~".repeat(200_000));
        assertThat(scanner.pending()).isEqualTo(offset);
        feed("\033\\");
        assertThat(queries).isEmpty();
    }

    @Test
    void aQuestionWithoutAnEndIsGivenUp() {
        feed("\033]52;c;" + "A".repeat(70_000) + "\033[5n");
        assertThat(queries).extracting(Query::kind).containsExactly(Query.Kind.MASKED, Query.Kind.STATUS);
        assertThat(queries.getFirst().to()).isLessThan(66_000);
    }

    @Test
    void marksOfShellsAndTitlesAreTold() {
        feed("\033]133;D;1\007\033]7;file:///tmp\033\\\033]2;hi\007");
        assertThat(told).containsExactly(new Told.Mark(133, "D;1", 0, 10), new Told.Mark(7, "file:///tmp", 10, 27),
                new Told.Title("hi", 34));
    }

    @Test
    void whatOnlyOtherTerminalsAnswerIsMasked() {
        for (String question : List.of("\005", "\033[21t", "\033[?u", "\033[x", "\033P+q544e\033\\", "\033]52;c;?\007",
                "\033_Ga=q\033\\",
                "\033[1;1;1;1;1;1*y", "\033[=c")) {
            assertThat(answer("", question)).as(question).isEmpty();
        }
    }

    @Test
    void answersAreNumbersAndFixedText() {
        assertThat(answer("", "\033[c")).isEqualTo("\033[?1;2c");
        assertThat(answer("", "\033[>c")).isEqualTo("\033[>0;276;0c");
        assertThat(answer("\033[3;7H", "\033[6n")).isEqualTo("\033[3;7R");
        assertThat(answer("\033[?2004h", "\033[?2004$p")).isEqualTo("\033[?2004;1$y");
        assertThat(answer("", "\033[?2027$p")).isEqualTo("\033[?2027;0$y");
        assertThat(answer("", "\033[18t")).isEqualTo("\033[8;24;80t");
        assertThat(answer("", "\033[>q")).isEqualTo("\033P>|Belay\033\\");
        assertThat(answer("\033[1;4:3;38;5;9;48;2;1;2;3m", "\033P$qm\033\\"))
                .isEqualTo("\033P1$r0;1;4:3;38;5;9;48;2;1;2;3m\033\\");
        assertThat(answer("\033[5 q", "\033P$q q\033\\")).isEqualTo("\033P1$r5 q\033\\");
        assertThat(answer("\033[2;9r", "\033P$qr\033\\")).isEqualTo("\033P1$r2;9r\033\\");
        assertThat(answer("", "\033P$qz\033\\")).isEqualTo("\033P0$r\033\\");
        assertThat(answer("", "\033]11;?\007")).isEqualTo("\033]11;rgb:0000/0000/0000\033\\");
        assertThat(answer("\033]10;#123456\007", "\033]10;?;?\007"))
                .isEqualTo("\033]10;rgb:1212/3434/5656\033\\\033]11;rgb:0000/0000/0000\033\\");
        assertThat(answer("", "\033]4;1;?;232;?\007"))
                .isEqualTo("\033]4;1;rgb:cccc/0000/0000\033\\\033]4;232;rgb:0808/0808/0808\033\\");
    }

    @Test
    void cutAnywhereItFindsTheSame() {
        String stream = "é\033[6n中\033]11;?\033\\\033[?1049h\u009b5n\033]0;t\007\033P$qr\033\\x\005";
        feed(stream);
        List<Query> whole = List.copyOf(queries);
        List<Told> all = List.copyOf(told);
        for (int cut = 1; cut < stream.getBytes(UTF_8).length; cut++) {
            queries.clear();
            told.clear();
            Scanner other = new Scanner();
            byte[] bytes = stream.getBytes(UTF_8);
            other.feed(bytes, 0, cut, 0, this);
            other.feed(bytes, cut, bytes.length, cut, this);
            assertThat(queries).as("cut at %d", cut).isEqualTo(whole);
            assertThat(told).as("cut at %d", cut).isEqualTo(all);
        }
    }
}

package dev.belay.screen;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/// Makes scenarios: text, sequences valid and broken, and resizes.
final class Generator {
    private static final String[] CHARACTERS =
            {"é", "ß", "Ω", "─", "█", "中", "文", "한", "字", "😀", "👍", "e\u0301", "a\u0308\u0323",
                    "\u0301", "\u200d", "👩\u200d💻", "\u00ad", "Ａ", "\u1160", "\ufeff", "ก็", "∞", "①", "\u2764\ufe0f",
                    "🇩🇪", "\u0085",
                    "\u0084", "\u008d", "\u009b3C", "\u009c"};
    private static final String FINALS = "@ABCDEFGHIJKLMPSTXZ`abdefghilmnrsu";
    private static final int[] MODES =
            {1, 2, 3, 5, 6, 7, 8, 9, 12, 25, 45, 47, 66, 1000, 1002, 1003, 1004, 1005, 1006, 1015, 1016, 1047,
                    1048, 1049, 2004, 2026, 2027, 9999};
    private static final int[] SGR =
            {0, 0, 1, 2, 3, 4, 5, 7, 8, 9, 21, 22, 23, 24, 25, 27, 28, 29, 30, 31, 37, 39, 40, 44, 47, 49, 53, 55,
                    59, 90, 97, 100, 107, 6, 10, 99};
    private static final String[] STRINGS =
            {"0;title", "2;another ü", "1;icon", "8;;http://a.example/x", "8;id=1;http://b.example",
                    "8;;", "8;id=2;", "4;1;rgb:ff/00/00", "10;#fff", "104", "52;c;aGk=", "7;file:///", "133;A",
                    "633;E;x", "9;9", "x;y", "",
                    "2", ";"};
    private static final String[] SETTINGS = {"r", "\"q", "\"p", "x", ""};

    private final Random random;
    private final int cols;
    private final int rows;
    /// Without autowrap xterm.js joins the marks of a wide character that did not fit to the one before; Belay drops
    /// them.
    private boolean mayDrop;

    private Generator(Random random, int cols, int rows) {
        this.random = random;
        this.cols = cols;
        this.rows = rows;
    }

    static Scenario scenario(long seed, int steps) {
        Random random = new Random(seed);
        boolean large = random.nextInt(10) == 0;
        int cols = large ? 60 + random.nextInt(40) : 2 + random.nextInt(14);
        int rows = large ? 20 + random.nextInt(10) : 1 + random.nextInt(8);
        Generator generator = new Generator(random, cols, rows);
        List<Scenario.Step> list = new ArrayList<>();
        for (int i = 0; i < steps; i++) {
            list.add(generator.step());
        }
        return new Scenario(cols, rows, random.nextInt(4) == 0 ? 0 : random.nextInt(12), list);
    }

    private Scenario.Step step() {
        if (random.nextInt(12) == 0) {
            return new Scenario.Resize(Math.max(2, cols + random.nextInt(13) - 6),
                    Math.max(1, rows + random.nextInt(9) - 4));
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int i = 1 + random.nextInt(5); i > 0; i--) {
            bytes.writeBytes(token());
        }
        return new Scenario.Feed(bytes.toByteArray());
    }

    private byte[] token() {
        return switch (random.nextInt(24)) {
            case 0, 1, 2, 3, 4 -> text();
            case 5, 6 -> utf8(character());
            case 7, 8, 9 ->
                utf8(new String[] {"\n", "\r\n", "\r", "\b", "\t", "\013", "\f", "\016", "\017", "\0", "\007", "\177",
                        "\r\n\n", "\n\n\n", "\030", "\032"}[random.nextInt(16)]);
            case 10, 11 -> sgr();
            case 12, 13, 14, 15 -> {
                char last = FINALS.charAt(random.nextInt(FINALS.length()));
                yield utf8("\033[" + numbers(cols + 2) + (last == 'b' && mayDrop ? 'm' : last));
            }
            case 16 -> utf8("\033[" + (1 + random.nextInt(rows + 1)) + ";" + (1 + random.nextInt(cols + 2)) + "H");
            case 17 -> mode();
            case 18 -> utf8("\033" + new String[] {"7", "8", "D", "E", "H", "M", "=", ">", "n", "o", "|", "}", "~",
                    "(0", "(B", "(A", ")0",
                    "*0", "+A", "-0", "./", "%@", "%G", "#8", "Z", "\\", "c", "(1", "#3"}[random.nextInt(29)]);
            case 19 -> special();
            case 20 -> string();
            case 21 -> broken();
            case 22 -> utf8("\033[" + random.nextInt(rows + 2) + ";" + random.nextInt(rows + 2) + "r");
            default -> question();
        };
    }

    private byte[] mode() {
        int mode = random.nextInt(12) == 0 ? 7 : MODES[random.nextInt(MODES.length)];
        boolean on = random.nextInt(3) > 0;
        mayDrop |= mode == 7 && !on;
        return utf8("\033[?" + mode + (on ? 'h' : 'l'));
    }

    private String character() {
        String character = CHARACTERS[random.nextInt(CHARACTERS.length)];
        boolean marks = character.codePoints().anyMatch(code -> Widths.of(code) == 0);
        return mayDrop && marks ? "ü" : character;
    }

    private byte[] text() {
        StringBuilder text = new StringBuilder();
        for (int i = 1 + random.nextInt(random.nextInt(4) == 0 ? cols * 2 : 6); i > 0; i--) {
            text.append((char) (random.nextInt(5) == 0 ? ' ' : 33 + random.nextInt(94)));
        }
        return utf8(text.toString());
    }

    private String numbers(int most) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(3); i >= 0; i--) {
            if (random.nextInt(4) > 0) {
                text.append(random.nextInt(40) == 0 ? 1000 : random.nextInt(most));
            }
            if (i > 0) {
                text.append(random.nextInt(10) == 0 ? ':' : ';');
            }
        }
        return text.toString();
    }

    private byte[] sgr() {
        StringBuilder text = new StringBuilder("\033[");
        for (int i = random.nextInt(3); i >= 0; i--) {
            text.append(switch (random.nextInt(8)) {
                case 0 -> (random.nextInt(3) * 10 + 38) + ";5;" + random.nextInt(300);
                case 1 -> (random.nextInt(3) * 10 + 38) + ";2;" + random.nextInt(260) + ";" + random.nextInt(260) + ";"
                        + random.nextInt(260);
                case 2 -> (random.nextInt(3) * 10 + 38) + ":2:" + (random.nextBoolean() ? ":" : "1:")
                        + random.nextInt(260) + ":3:4";
                case 3 -> (random.nextInt(3) * 10 + 38) + ":5:" + random.nextInt(260);
                case 4 -> "4:" + random.nextInt(7);
                default -> "" + SGR[random.nextInt(SGR.length)];
            });
            text.append(i > 0 ? ";" : "");
        }
        return utf8(text.append('m').toString());
    }

    private byte[] special() {
        return utf8("\033[" + switch (random.nextInt(12)) {
            case 0 -> "?" + random.nextInt(4) + "J";
            case 1 -> "?" + random.nextInt(3) + "K";
            case 2 -> random.nextInt(3) + "\"q";
            case 3 -> random.nextInt(4) + " @";
            case 4 -> random.nextInt(4) + " A";
            case 5 -> random.nextInt(4) + "'}";
            case 6 -> random.nextInt(4) + "'~";
            case 7 -> random.nextInt(7) + " q";
            case 8 -> "!p";
            case 9 -> "4" + "hl".charAt(random.nextInt(2));
            case 10 -> "20" + "hl".charAt(random.nextInt(2));
            default -> random.nextInt(4) + "J";
        });
    }

    private byte[] string() {
        String end = new String[] {"\007", "\033\\", "\u009c", "\030", "\033[1m", "\032"}[random.nextInt(6)];
        return utf8(switch (random.nextInt(6)) {
            case 0 -> "\033P" + random.nextInt(9) + "q#0;2;0~~" + end.replace("\007", "\033\\");
            case 1 -> "\033_Gf=1;AAA" + end.replace("\007", "\033\\");
            case 2 -> "\033X" + "skipped\n" + end.replace("\007", "\033\\");
            case 3 -> "\u009d" + STRINGS[random.nextInt(STRINGS.length)] + end;
            default -> "\033]" + STRINGS[random.nextInt(STRINGS.length)] + end;
        });
    }

    private byte[] broken() {
        return switch (random.nextInt(9)) {
            case 0 -> new byte[] {(byte) (0x80 + random.nextInt(128))};
            case 1 -> new byte[] {(byte) 0xe4, (byte) 0xb8};
            case 2 ->
                new byte[] {(byte) 0xed, (byte) 0xa0, (byte) 0x80, (byte) 0xf5, (byte) 0x90, (byte) 0x80, (byte) 0x80};
            case 3 -> utf8("\033[" + random.nextInt(99) + ";");
            case 4 -> utf8("\033[?");
            case 5 -> utf8("\033[1;2" + "<=>".charAt(random.nextInt(3)) + "3m");
            case 6 -> utf8("\033[3\n1m\033[2\033[4C");
            case 7 -> utf8("\033[ü\033ü");
            default -> utf8("\033" + (char) (0x20 + random.nextInt(0x10)));
        };
    }

    private byte[] question() {
        return utf8(switch (random.nextInt(8)) {
            case 0 -> "\033[c";
            case 1 -> "\033[>c";
            case 2 -> "\033[5n";
            case 3 -> "\033[6n";
            case 4 -> "\033[?6n";
            case 5 -> "\033[?" + MODES[random.nextInt(MODES.length)] + "$p";
            case 6 -> "\033[18t";
            default -> "\033P$q" + SETTINGS[random.nextInt(SETTINGS.length)] + "\033\\";
        });
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}

package dev.belay.screen;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// Answers questions with numbers and fixed text, never with what a program sent.
final class TerminalReplies {
    private static final String CSI = "\033[";
    private static final String DCS = "\033P";
    private static final String OSC = "\033]";
    private static final String END = "\033\\";
    private static final String NAME = "Belay";

    private final Terminal terminal;
    private final Colours colours;

    TerminalReplies(Terminal terminal, Colours colours) {
        this.terminal = terminal;
        this.colours = colours;
    }

    Optional<byte[]> to(Query query) {
        int number = query.numbers().isEmpty() ? 0 : query.numbers().getFirst();
        String answer = switch (query.kind()) {
            case DEVICE -> number > 0 ? "" : CSI + "?1;2c";
            case DEVICE_VERSION -> number > 0 ? "" : CSI + ">0;276;0c";
            case STATUS -> number == 5 ? CSI + "0n" : number == 6 ? CSI + place() + "R" : "";
            case DEC_STATUS -> number == 6 ? CSI + "?" + place() + "R" : "";
            case MODE -> CSI + number + ";" + terminal.switches.report(number) + "$y";
            case DEC_MODE -> CSI + "?" + number + ";"
                    + terminal.switches.reportPrivate(number, terminal.grid == terminal.alternate) + "$y";
            case WINDOW -> number == 18 ? CSI + "8;" + terminal.grid.rows + ";" + terminal.grid.cols + "t" : "";
            case NAME -> number > 0 ? "" : DCS + ">|" + NAME + END;
            case SETTING -> setting(query.text());
            case PALETTE -> palette(query.text());
            case COLOUR -> special(number, query.text());
            case MASKED -> "";
        };
        return answer.isEmpty() ? Optional.empty() : Optional.of(answer.getBytes(StandardCharsets.US_ASCII));
    }

    /// A cursor that waits behind the last column is in it.
    private String place() {
        return terminal.grid.y + 1 + ";" + Math.min(terminal.grid.x + 1, terminal.grid.cols);
    }

    private String setting(String what) {
        String value = switch (what) {
            case "m" -> Sgr.parameters(terminal.pen.fg, terminal.pen.bg, terminal.pen.under) + "m";
            case "r" -> terminal.grid.top + 1 + ";" + (terminal.grid.bottom + 1) + "r";
            case "\"q" -> ((terminal.pen.bg & Pen.PROTECTED) == 0 ? 0 : 1) + "\"q";
            case "\"p" -> "61;1\"p";
            case " q" -> shape() + " q";
            default -> "";
        };
        return value.isEmpty() ? DCS + "0$r" + END : DCS + "1$r" + value + END;
    }

    private int shape() {
        int shape = terminal.switches.cursorShape;
        return shape != 0 ? shape : terminal.switches.cursorBlink ? 1 : 2;
    }

    private String palette(String text) {
        StringBuilder answer = new StringBuilder();
        String[] words = text.split(";", -1);
        for (int i = 0; i + 1 < words.length; i += 2) {
            int index = Palette.index(words[i]);
            if (index >= 0 && words[i + 1].equals("?")) {
                answer.append(OSC + "4;").append(index).append(';');
                answer.append(rgb(terminal.palette.colour(index).orElse(colours.indexed(index)))).append(END);
            }
        }
        return answer.toString();
    }

    private String special(int osc, String text) {
        StringBuilder answer = new StringBuilder();
        int number = osc;
        for (String word : text.split(";", -1)) {
            if (number <= 12 && word.equals("?")) {
                int own = number == 10 ? colours.foreground() : number == 11 ? colours.background() : colours.cursor();
                int colour = terminal.palette.colour(Palette.FOREGROUND + number - 10).orElse(own);
                answer.append(OSC).append(number).append(';').append(rgb(colour)).append(END);
            }
            number++;
        }
        return answer.toString();
    }

    private static String rgb(int colour) {
        String r = channel(colour >> 16);
        String g = channel(colour >> 8);
        String b = channel(colour);
        return "rgb:" + r + "/" + g + "/" + b;
    }

    private static String channel(int value) {
        String hex = Integer.toHexString(value >> 4 & 15) + Integer.toHexString(value & 15);
        return hex + hex;
    }
}

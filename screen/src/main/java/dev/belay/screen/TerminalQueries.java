package dev.belay.screen;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What may ask the terminal something.
final class TerminalQueries {
    /// Colours (4, 5, 10 to 19), fonts, the clipboard, kitty's colours.
    private static final Set<String> OSC =
            Set.of("4", "5", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19", "21", "50",
                    "52", "60", "61", "99", "5522");

    static final int DECRQSS = '$' << 8 | 'q';
    static final int XTGETTCAP = '+' << 8 | 'q';

    private TerminalQueries() {}

    static boolean inDcs(int function) {
        return function == DECRQSS || function == XTGETTCAP;
    }

    /// An OSC's number so far and the next character: 1 if it may ask, 0 if not, [Parser#UNDECIDED] while the number
    /// goes on.
    static int inOsc(String number, int next) {
        if (next == ';') {
            return OSC.contains(number) ? 1 : 0;
        }
        return next >= '0' && next <= '9' && number.length() < 8 ? Parser.UNDECIDED : 0;
    }

    /// What a control sequence asks, or null. Besides those that are answered here, what any known terminal answers.
    static Query.@Nullable Kind control(int function, int number) {
        return switch (function) {
            case 'c' -> Query.Kind.DEVICE;
            case '>' << 8 | 'c' -> Query.Kind.DEVICE_VERSION;
            case 'n' -> Query.Kind.STATUS;
            case '?' << 8 | 'n' -> Query.Kind.DEC_STATUS;
            case '$' << 8 | 'p' -> Query.Kind.MODE;
            case '?' << 16 | '$' << 8 | 'p' -> Query.Kind.DEC_MODE;
            case '>' << 8 | 'q' -> Query.Kind.NAME;
            case 't' -> number == 20 || number == 21
                    ? Query.Kind.MASKED
                    : number >= 11 && number <= 19 ? Query.Kind.WINDOW : null;
            case '=' << 8 | 'c', 'x', '?' << 8 | 'u', '?' << 8 | 'S', '?' << 8 | 'm', '$' << 8 | 'w', '&' << 8 | 'u',
                    '$' << 8 | 'u',
                    '*' << 8 | 'y', '\'' << 8 | '|', '$' << 8 | '|', '#' << 8 | 'R', '#' << 8 | '|' ->
                Query.Kind.MASKED;
            default -> null;
        };
    }

    /// What a string asks, or null if it says something instead.
    static @Nullable Query string(int kind, int function, String payload, long from, long to) {
        if (kind == 'P') {
            Query.Kind what = function == DECRQSS ? Query.Kind.SETTING : Query.Kind.MASKED;
            return new Query(what, List.of(), payload, from, to);
        }
        if (kind == '_') {
            return new Query(Query.Kind.MASKED, List.of(), "", from, to);
        }
        int end = payload.indexOf(';');
        String number = payload.substring(0, Math.max(0, end));
        String rest = payload.substring(end + 1);
        if (!(';' + rest + ';').contains(";?") && !rest.contains("=?")) {
            return null;
        }
        return switch (number) {
            case "4" -> new Query(Query.Kind.PALETTE, List.of(), rest, from, to);
            case "10", "11", "12" -> new Query(Query.Kind.COLOUR, List.of(Integer.parseInt(number)), rest, from, to);
            default -> new Query(Query.Kind.MASKED, List.of(), "", from, to);
        };
    }
}

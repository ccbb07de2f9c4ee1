package dev.belay.agent;

import dev.belay.Quoted;
import dev.belay.SessionException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// What a terminal sends for keys that have a name, as xterm does.
final class Keys {
    private static final char ESC = '\u001b';
    private static final String PASTE_END = ESC + "[201~";
    private static final Map<String, String> FIXED = new HashMap<>();
    /// The final letters of the keys that send `ESC [ letter`, or `ESC O letter` where a program asked for that.
    private static final Map<String, Character> CURSOR = Map.of(
            "up", 'A', "down", 'B', "right", 'C', "left", 'D', "home", 'H', "end", 'F');

    static {
        FIXED.put("enter", "\r");
        FIXED.put("tab", "\t");
        FIXED.put("esc", "" + ESC);
        FIXED.put("backspace", "\u007f");
        FIXED.put("delete", ESC + "[3~");
        FIXED.put("pgup", ESC + "[5~");
        FIXED.put("pgdn", ESC + "[6~");
        List<String> functions = List.of(
                "OP", "OQ", "OR", "OS", "[15~", "[17~", "[18~", "[19~", "[20~", "[21~", "[23~", "[24~");
        for (int i = 0; i < functions.size(); i++) {
            FIXED.put("f" + (i + 1), ESC + functions.get(i));
        }
    }

    private Keys() {}

    /// Whether what a key sends depends on the mode the program has put the terminal in.
    static boolean anyCursorKey(List<String> names) {
        return names.stream().anyMatch(name -> CURSOR.containsKey(name.toLowerCase(Locale.ROOT)));
    }

    /// @param application whether the program asked for application cursor keys (`ESC [ ? 1 h`)
    static String sequence(List<String> names, boolean application) {
        StringBuilder out = new StringBuilder();
        names.forEach(name -> out.append(sequence(name, application)));
        return out.toString();
    }

    private static String sequence(String name, boolean application) {
        String key = name.toLowerCase(Locale.ROOT);
        Character cursor = CURSOR.get(key);
        if (cursor != null) {
            return (application ? ESC + "O" : ESC + "[") + cursor;
        }
        String fixed = FIXED.get(key);
        if (fixed != null) {
            return fixed;
        }
        if (key.startsWith("ctrl-") && key.length() == 6 && key.charAt(5) >= 'a' && key.charAt(5) <= 'z') {
            return "" + (char) (key.charAt(5) - 'a' + 1);
        }
        if (key.startsWith("alt-") && name.codePointCount(4, name.length()) == 1) {
            return ESC + name.substring(4);
        }
        throw SessionException.invalid("There is no key " + Quoted.of(name)
                + "; there are enter, tab, esc, backspace, delete, up, down, left, right, home, end, pgup, pgdn,"
                + " f1 to f12, ctrl-a to ctrl-z and alt- with one character.");
    }

    /// Text as a terminal pastes it: marked at both ends, so that the program does not take it for typing. An end mark
    /// within it would let the rest pass for typing; it is removed, also where removing one makes another.
    static String pasted(String text) {
        StringBuilder clean = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            clean.append(text.charAt(i));
            int mark = clean.length() - PASTE_END.length();
            if (text.charAt(i) == '~' && mark >= 0 && clean.indexOf(PASTE_END, mark) == mark) {
                clean.setLength(mark);
            }
        }
        return ESC + "[200~" + clean + PASTE_END;
    }
}

package dev.belay.agent;

import dev.belay.Quoted;
import dev.belay.SessionException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What a terminal sends for keys that have a name, as xterm does.
public final class Keys {
    private static final char ESC = '\u001b';
    private static final String PASTE_END = ESC + "[201~";
    private static final Map<String, String> FIXED = new HashMap<>();
    /// The final letters of the keys that send `ESC [ letter`, or `ESC O letter` where a program asked for that.
    private static final Map<String, Character> CURSOR = Map.of(
            "up", 'A', "down", 'B', "right", 'C', "left", 'D', "home", 'H', "end", 'F');

    /// Other spellings of the names.
    private static final Map<String, String> ALIASES = Map.ofEntries(
            Map.entry("return", "enter"), Map.entry("cr", "enter"), Map.entry("escape", "esc"),
            Map.entry("del", "delete"), Map.entry("bs", "backspace"), Map.entry("bspace", "backspace"),
            Map.entry("pageup", "pgup"), Map.entry("ppage", "pgup"), Map.entry("pagedown", "pgdn"),
            Map.entry("npage", "pgdn"), Map.entry("btab", "shift-tab"), Map.entry("backtab", "shift-tab"),
            Map.entry("arrowup", "up"), Map.entry("arrowdown", "down"), Map.entry("arrowleft", "left"),
            Map.entry("arrowright", "right"));
    /// Other spellings of `ctrl-` and `alt-`, as in `C-c`, `Ctrl+C` and `^C`.
    private static final Pattern CTRL = Pattern.compile("(?:(?:c|ctrl|control)[-+]|\\^)(.+)", Pattern.CASE_INSENSITIVE);
    private static final Pattern ALT = Pattern.compile("(?:m|alt|meta|option)[-+](.+)", Pattern.CASE_INSENSITIVE);

    static {
        FIXED.put("enter", "\r");
        FIXED.put("space", " ");
        FIXED.put("insert", ESC + "[2~");
        FIXED.put("shift-tab", ESC + "[Z");
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
        return names.stream().anyMatch(name -> CURSOR.containsKey(plain(name)));
    }

    /// What a terminal sends for these keys.
    ///
    /// @param application whether the program asked for application cursor keys (`ESC [ ? 1 h`)
    public static String sequence(List<String> names, boolean application) {
        StringBuilder out = new StringBuilder();
        names.forEach(name -> out.append(sequence(name, application)));
        return out.toString();
    }

    /// The name as this table has it.
    private static String plain(String name) {
        String key = name.strip().toLowerCase(Locale.ROOT).replace('_', '-').replace('+', '-');
        String joined = key.replace("-", "");
        return ALIASES.getOrDefault(joined, CURSOR.containsKey(joined) || FIXED.containsKey(joined) ? joined : key);
    }

    private static String sequence(String name, boolean application) {
        if (name.codePointCount(0, name.length()) == 1) {
            return name;
        }
        String key = plain(name);
        Character cursor = CURSOR.get(key);
        if (cursor != null) {
            return (application ? ESC + "O" : ESC + "[") + cursor;
        }
        String fixed = FIXED.get(key);
        if (fixed != null) {
            return fixed;
        }
        Matcher ctrl = CTRL.matcher(name);
        Matcher alt = ALT.matcher(name);
        if (ctrl.matches() && control(ctrl.group(1)) >= 0) {
            return "" + (char) control(ctrl.group(1));
        }
        if (alt.matches() && alt.group(1).codePointCount(0, alt.group(1).length()) == 1) {
            return ESC + alt.group(1);
        }
        throw SessionException.invalid("Unknown key " + Quoted.of(name)
                + "; use enter, tab, shift-tab, esc, space, backspace, delete, insert, up, down, left, right,"
                + " home, end, pgup, pgdn, f1 to f12, ctrl-a to ctrl-z, alt- with a character, or a single character.");
    }

    /// What Ctrl makes of a key: a letter, or one of `@[\\]^_?`; -1 for others.
    private static int control(String key) {
        char upper = key.length() == 1 ? Character.toUpperCase(key.charAt(0)) : 0;
        if (key.equalsIgnoreCase("space")) {
            return 0;
        }
        return upper == '?' ? 0x7f : upper >= '@' && upper <= '_' ? upper - '@' : -1;
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

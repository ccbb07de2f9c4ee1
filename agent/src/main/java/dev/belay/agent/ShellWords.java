package dev.belay.agent;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;

/// Splits the text of a shell command into simple commands and their words: quotes, escapes, comments, operators,
/// redirections, here-documents and substitutions, but no expansion. Takes time linear in the length of the text, and
/// makes something of any text.
final class ShellWords {
    /// A simple command.
    ///
    /// @param substitutions the commands within `$(…)` and backquotes
    record Simple(List<String> words, List<String> substitutions) {}

    private final String text;
    private int at;
    private final List<Simple> commands = new ArrayList<>();
    private List<String> words = new ArrayList<>();
    private List<String> substitutions = new ArrayList<>();
    private final StringBuilder word = new StringBuilder();
    private boolean inWord;
    private boolean inDouble;
    /// Whether the word under way is where a redirection goes, which is no argument.
    private boolean target;
    /// Whether the word under way is the end mark of a here-document.
    private boolean mark;
    private boolean tabs;
    private boolean quoted;
    private final Queue<Document> documents = new ArrayDeque<>();

    /// A here-document whose lines follow the line under way.
    ///
    /// @param tabs   whether tabs before its end mark do not count
    /// @param quoted whether its text is taken as it is; else it may hold substitutions
    private record Document(String end, boolean tabs, boolean quoted) {}

    private ShellWords(String text) {
        this.text = text;
    }

    static List<Simple> split(String text) {
        ShellWords words = new ShellWords(text);
        words.run();
        return words.commands;
    }

    private void run() {
        while (at < text.length()) {
            char c = text.charAt(at);
            switch (c) {
                case ' ', '\t' -> endWord();
                case '\n', ';', '&', '|', '(', ')' -> operator(c);
                case '<', '>' -> redirection();
                case '#' -> comment();
                default -> part(c);
            }
            at++;
        }
        endCommand();
    }

    private void part(char c) {
        if (c == '\\' && at + 1 < text.length() && text.charAt(at + 1) == '\n') {
            // The line goes on in the next.
            at++;
            return;
        }
        inWord = true;
        quoted |= c == '\\' || c == '\'' || c == '"';
        switch (c) {
            case '\\' -> {
                if (++at < text.length()) {
                    word.append(text.charAt(at));
                }
            }
            case '\'' -> {
                int close = text.indexOf('\'', at + 1);
                close = close < 0 ? text.length() : close;
                word.append(text, at + 1, close);
                at = close;
            }
            case '"' -> doubleQuoted();
            case '`' -> backquoted();
            case '$' -> dollar();
            default -> word.append(c);
        }
    }

    private void doubleQuoted() {
        inDouble = true;
        while (++at < text.length() && text.charAt(at) != '"') {
            char c = text.charAt(at);
            if (c == '\\' && at + 1 < text.length()) {
                escapedInQuotes(text.charAt(++at));
            } else if (c == '`') {
                backquoted();
            } else if (c == '$') {
                dollar();
            } else {
                word.append(c);
            }
        }
        inDouble = false;
    }

    /// Within double quotes a backslash before most characters is a character itself.
    private void escapedInQuotes(char c) {
        if ("$`\"\\\n".indexOf(c) < 0) {
            word.append('\\');
        }
        if (c != '\n') {
            word.append(c);
        }
    }

    private void backquoted() {
        int close = text.indexOf('`', at + 1);
        close = close < 0 ? text.length() : close;
        substitutions.add(text.substring(at + 1, close));
        at = close;
    }

    /// `$(…)` holds a command, `$'…'` a text with escapes; any other dollar is a character.
    private void dollar() {
        char next = at + 1 < text.length() ? text.charAt(at + 1) : ' ';
        if (next == '(') {
            substitution();
        } else if (next == '\'' && !inDouble) {
            quoted = true;
            for (at += 2; at < text.length() && text.charAt(at) != '\''; at++) {
                at += text.charAt(at) == '\\' ? 1 : 0;
                word.append(at < text.length() ? text.charAt(at) : '\\');
            }
        } else {
            word.append('$');
        }
    }

    /// The command in the brackets that open behind this place.
    private void substitution() {
        int start = at + 2;
        at = closing(start);
        substitutions.add(text.substring(start, at));
    }

    /// Where the bracket that is open before `from` closes; quotes may hide brackets.
    private int closing(int from) {
        Deque<Character> open = new ArrayDeque<>(List.of('('));
        for (int i = from; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean inQuotes = open.getFirst() == '"';
            if (c == '\\') {
                i++;
            } else if (c == '"') {
                if (inQuotes) {
                    open.pop();
                } else {
                    open.push(c);
                }
            } else if (inQuotes) {
                if (c == '$' && i + 1 < text.length() && text.charAt(i + 1) == '(') {
                    open.push('(');
                    i++;
                }
            } else if (c == '\'') {
                int close = text.indexOf('\'', i + 1);
                i = close < 0 ? text.length() : close;
            } else if (c == '(') {
                open.push(c);
            } else if (c == ')') {
                open.pop();
                if (open.isEmpty()) {
                    return i;
                }
            }
        }
        return text.length();
    }

    /// `2>&1` and `>file` are no arguments; `<(…)` is a command, and behind `<<END` lines of text follow.
    private void redirection() {
        if (inWord && word.chars().allMatch(Character::isDigit)) {
            word.setLength(0);
            inWord = false;
        }
        endWord();
        target = false;
        if (at + 1 < text.length() && text.charAt(at + 1) == '(') {
            substitution();
            return;
        }
        int start = at;
        while (at + 1 < text.length() && "<>&|".indexOf(text.charAt(at + 1)) >= 0) {
            at++;
        }
        target = true;
        quoted = false;
        mark = text.substring(start, at + 1).equals("<<");
        tabs = mark && at + 1 < text.length() && text.charAt(at + 1) == '-';
        at += tabs ? 1 : 0;
    }

    /// Skips the lines of the here-documents that the line before this line feed has named.
    private void documents() {
        for (Document document = documents.poll(); document != null; document = documents.poll()) {
            int start = at + 1;
            boolean ended = false;
            while (!ended && at < text.length()) {
                int from = at + 1;
                at = text.indexOf('\n', from);
                at = at < 0 ? text.length() : at;
                String line = from < at ? text.substring(from, at) : "";
                ended = (document.tabs ? line.replaceFirst("^\t+", "") : line).equals(document.end);
            }
            if (!document.quoted && start < at) {
                substitutions.addAll(new ShellWords(text.substring(start, at)).ofDocument());
            }
        }
    }

    /// The substitutions in the text of a here-document.
    private List<String> ofDocument() {
        inDouble = true;
        for (; at < text.length(); at++) {
            switch (text.charAt(at)) {
                case '\\' -> at++;
                case '`' -> backquoted();
                case '$' -> dollar();
                default -> {
                }
            }
        }
        return substitutions;
    }

    private void comment() {
        if (inWord) {
            word.append('#');
            return;
        }
        int end = text.indexOf('\n', at);
        at = end < 0 ? text.length() : end - 1;
    }

    private void operator(char c) {
        // `&>file` sends both outputs to a file.
        if (c == '&' && at + 1 < text.length() && text.charAt(at + 1) == '>') {
            return;
        }
        if (c == '\n') {
            endWord();
            documents();
        }
        endCommand();
    }

    private void endWord() {
        if (inWord && !target) {
            words.add(word.toString());
        } else if (inWord && mark) {
            documents.add(new Document(word.toString(), tabs, quoted));
            mark = false;
        }
        target = target && !inWord;
        word.setLength(0);
        inWord = false;
    }

    private void endCommand() {
        endWord();
        target = false;
        if (!words.isEmpty() || !substitutions.isEmpty()) {
            commands.add(new Simple(List.copyOf(words), List.copyOf(substitutions)));
        }
        words = new ArrayList<>();
        substitutions = new ArrayList<>();
    }
}

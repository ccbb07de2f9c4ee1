package dev.belay.agent;

import java.util.ArrayList;
import java.util.List;

/// Splits the text of a shell command into simple commands and their words: quotes, escapes, comments, operators,
/// redirections and substitutions, but no expansion.
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
    /// Whether the word under way is where a redirection goes, which is no argument.
    private boolean target;

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
        inWord = true;
        switch (c) {
            case '\\' -> {
                if (++at < text.length() && text.charAt(at) != '\n') {
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
        while (++at < text.length() && text.charAt(at) != '"') {
            char c = text.charAt(at);
            if (c == '\\' && at + 1 < text.length()) {
                word.append(text.charAt(++at));
            } else if (c == '`') {
                backquoted();
            } else if (c == '$') {
                dollar();
            } else {
                word.append(c);
            }
        }
    }

    private void backquoted() {
        int close = text.indexOf('`', at + 1);
        close = close < 0 ? text.length() : close;
        substitutions.add(text.substring(at + 1, close));
        at = close;
    }

    /// `$(…)` holds a command; any other dollar is a character.
    private void dollar() {
        if (at + 1 < text.length() && text.charAt(at + 1) == '(') {
            int start = at + 2;
            at = closing(start);
            substitutions.add(text.substring(Math.min(start, at), at));
        } else {
            word.append('$');
        }
    }

    /// Where the bracket that is open before `from` closes; quotes may hide brackets.
    private int closing(int from) {
        int depth = 1;
        for (int i = from; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\\') {
                i++;
            } else if (c == '\'') {
                int close = text.indexOf('\'', i + 1);
                i = close < 0 ? text.length() : close;
            } else if (c == '(') {
                depth++;
            } else if (c == ')' && --depth == 0) {
                return i;
            }
        }
        return text.length();
    }

    /// `2>&1` and `>file` are no arguments; `<(…)` is a command.
    private void redirection() {
        boolean number = word.chars().allMatch(Character::isDigit);
        if (inWord && number) {
            word.setLength(0);
            inWord = false;
        }
        endWord();
        char next = at + 1 < text.length() ? text.charAt(at + 1) : ' ';
        if (next == '(') {
            int start = at + 2;
            at = closing(start);
            substitutions.add(text.substring(Math.min(start, at), at));
            return;
        }
        while (at + 1 < text.length() && "<>&|".indexOf(text.charAt(at + 1)) >= 0) {
            at++;
        }
        target = true;
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
        endCommand();
    }

    private void endWord() {
        if (inWord && !target) {
            words.add(word.toString());
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

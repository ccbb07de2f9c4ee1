package dev.belay;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// A command line as people and programs are shown it: all of it, unless it is very long. Then its middle is folded,
/// never its end: that of a word, or that of the whole.
///
/// @param text   for people, safe to show: words that are not plain stand in `"`, and hidden characters and runs of
///               blanks are written out as by [Quoted]
/// @param words  for programs: the words themselves. A fold stands in its place, as in the text
/// @param folded how many words are folded
public record CommandLine(String text, List<String> words, int folded) {
    private static final int MAX_WORDS = 200;
    private static final int MAX_CHARS = 8 << 10;
    private static final int MAX_WORD = 1000;
    /// Of the command lines of a program's ancestors there are several.
    private static final int MAX_BRIEF = 1 << 10;

    public CommandLine {
        words = List.copyOf(words);
    }

    public static CommandLine of(List<String> words) {
        return of(words, MAX_CHARS);
    }

    /// The same, with a note if not all of it could be read.
    CommandLine incomplete(boolean is) {
        return is ? new CommandLine(text + " ⟦… there is more that could not be read …⟧", words, folded) : this;
    }

    /// The text of a command line that is shown beside another one.
    public static String brief(List<String> words) {
        return of(words, MAX_BRIEF).text();
    }

    private static CommandLine of(List<String> all, int most) {
        int longest = Math.min(MAX_WORD, most / 4);
        int head = fitting(all, longest, most);
        if (head == all.size()) {
            return new CommandLine(text(all, longest), all.stream().map(word -> Quoted.folded(word, longest)).toList(),
                    0);
        }
        head = fitting(all, longest, most / 2);
        int tail = fitting(all.reversed(), longest, most / 2);
        List<String> first = all.subList(0, head);
        List<String> last = all.subList(all.size() - tail, all.size());
        int folded = all.size() - head - tail;
        String fold = "⟦… " + folded + " of " + all.size() + " words, sha256 of all "
                + Quoted.hash(String.join("\0", all)) + " …⟧";
        List<String> words = new ArrayList<>();
        first.forEach(word -> words.add(Quoted.folded(word, longest)));
        words.add(fold);
        last.forEach(word -> words.add(Quoted.folded(word, longest)));
        return new CommandLine(
                Stream.of(text(first, longest), fold, text(last, longest)).filter(part -> !part.isEmpty())
                        .collect(Collectors.joining(" ")),
                words, folded);
    }

    /// How many of the first words may be shown.
    private static int fitting(List<String> words, int longest, int most) {
        int limit = (int) ((long) MAX_WORDS * most / MAX_CHARS);
        int left = most;
        int count = 0;
        for (String word : words) {
            left -= Math.min(word.length(), longest) + 1;
            if (left < 0 || count == limit) {
                break;
            }
            count++;
        }
        return count;
    }

    private static String text(List<String> words, int longest) {
        return words.stream().map(word -> text(word, longest)).collect(Collectors.joining(" "));
    }

    private static String text(String word, int longest) {
        String inside = Quoted.inside(word, longest, "\\'\"");
        return plain(word) ? inside : '"' + inside + '"';
    }

    /// Whether a word would be one word without quotes.
    private static boolean plain(String word) {
        return !word.isEmpty()
                && word.codePoints().allMatch(c -> Character.isLetterOrDigit(c) || "_@%+=:,./-~^".indexOf(c) >= 0);
    }
}

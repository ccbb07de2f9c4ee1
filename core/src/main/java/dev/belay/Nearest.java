package dev.belay;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/// Finds the name that was probably meant by a mistyped one.
public final class Nearest {
    private Nearest() {}

    /// The known name with the fewest typos, if they are few enough. Case, `_` and `-` do not count.
    public static Optional<String> of(String name, Collection<String> known) {
        return known.stream()
                .min(Comparator.comparingInt(one -> distance(plain(name), plain(one))))
                .filter(one -> distance(plain(name),
                        plain(one)) <= (one.length() < 4 ? 1 : Math.max(2, one.length() / 3)));
    }

    /// The end of a refusal: `; did you mean NAME?`, or all known names, or that none is known.
    public static String hint(String name, Collection<String> known) {
        if (known.isEmpty()) {
            return "; it takes none.";
        }
        return of(name, known)
                .map(one -> "; did you mean " + one + "?")
                .orElseGet(() -> "; use one of " + String.join(", ", known.stream().sorted().toList()) + ".");
    }

    private static String plain(String name) {
        return name.toLowerCase(Locale.ROOT).replaceAll("[_-]", "");
    }

    /// How many letters have to be added, left out or changed (Levenshtein).
    private static int distance(String from, String to) {
        if (from.length() > 2 * to.length() + 2) {
            return from.length();
        }
        int[] row = new int[to.length() + 1];
        for (int j = 0; j < row.length; j++) {
            row[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                int change = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(change, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[to.length()];
    }
}

package dev.belay.cli.args;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/// Finds what somebody probably meant.
public final class Similar {
    private static final int FARTHEST = 2;

    private Similar() {}

    /// `. Did you mean 'run'?`, or a full stop if nothing is similar.
    public static String suggestion(String word, Collection<String> known) {
        List<String> close = new ArrayList<>();
        int best = FARTHEST;
        for (String name : known) {
            int distance = distance(word, name);
            if (distance < best) {
                close.clear();
                best = distance;
            }
            if (distance == best && distance < name.length()) {
                close.add("'" + name + "'");
            }
        }
        return close.isEmpty() ? "." : ". Did you mean " + String.join(" or ", close) + "?";
    }

    /// How many letters have to be added, removed, replaced or swapped with their neighbour.
    static int distance(String a, String b) {
        int[][] cost = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                cost[i][j] = i == 0 || j == 0 ? i + j : cheapest(cost, a, b, i, j);
            }
        }
        return cost[a.length()][b.length()];
    }

    private static int cheapest(int[][] cost, String a, String b, int i, int j) {
        boolean same = a.charAt(i - 1) == b.charAt(j - 1);
        int least = Math.min(cost[i - 1][j - 1] + (same ? 0 : 1), 1 + Math.min(cost[i - 1][j], cost[i][j - 1]));
        boolean swapped =
                i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
        return swapped ? Math.min(least, cost[i - 2][j - 2] + 1) : least;
    }
}

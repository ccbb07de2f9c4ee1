package dev.belay.screen;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;

/// Answers what a stream asks, at the moment it asks: the scanner finds questions, the screen answers those that
/// xterm.js does.
final class Replies implements Scanner.Sink {
    private static final Set<Query.Kind> SAME = Set.of(Query.Kind.DEVICE, Query.Kind.DEVICE_VERSION, Query.Kind.STATUS,
            Query.Kind.DEC_STATUS, Query.Kind.MODE, Query.Kind.DEC_MODE, Query.Kind.WINDOW);

    private final Screen screen;
    private final Scanner scanner = new Scanner();
    private final List<Query> asked = new ArrayList<>();
    private final List<String> replies = new ArrayList<>();

    Replies(Screen screen) {
        this.screen = screen;
    }

    void feed(byte[] bytes, int from, int to) {
        asked.clear();
        long offset = screen.offset();
        scanner.feed(bytes, from, to, offset, this);
        int done = from;
        for (Query query : asked) {
            int end = Math.clamp(from + query.to() - offset, done, to);
            screen.feed(bytes, done, end);
            done = end;
            boolean same = SAME.contains(query.kind())
                    || (query.kind() == Query.Kind.SETTING && !query.text().equals("m") && !query.text().equals(" q"));
            if (same) {
                screen.answer(query, Colours.defaults())
                        .ifPresent(answer -> replies.add(HexFormat.of().formatHex(answer)));
            }
        }
        screen.feed(bytes, done, to);
    }

    String take() {
        String all = String.join(",", replies);
        replies.clear();
        return all;
    }

    @Override
    public void query(Query query) {
        asked.add(query);
    }

    @Override
    public void told(Told told) {}
}

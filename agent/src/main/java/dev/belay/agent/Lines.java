package dev.belay.agent;

/// Leaves out what a carriage return has overwritten, so that a progress bar is its last state and not its whole life.
final class Lines implements Units.Sink {
    private static final int MAX_LINE = 16 << 10;

    private final Units.Sink next;
    private final Strip line = new Strip();
    private boolean returned;
    private long returnedAt;

    Lines(Units.Sink next) {
        this.next = next;
    }

    @Override
    public void unit(CharSequence text, long offset) {
        if (text.length() == 1 && text.charAt(0) == '\r') {
            returned = true;
            returnedAt = offset;
        } else if (text.length() == 1 && text.charAt(0) == '\n') {
            line.add("\n", returned ? returnedAt : offset);
            flush();
        } else {
            if (returned) {
                line.clear();
                returned = false;
            }
            line.add(text, offset);
            if (line.length() > MAX_LINE) {
                flush();
            }
        }
    }

    void flush() {
        returned = false;
        line.forEach(next);
        line.clear();
    }
}

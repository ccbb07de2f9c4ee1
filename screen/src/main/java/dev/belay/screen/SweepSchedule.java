package dev.belay.screen;

/// When to look for values of a table that no cell uses any more. A sweep looks at every cell, so the table has to grow
/// by a factor before the next one; and one that found nearly all values in use is not repeated for each new value.
final class SweepSchedule {
    private final int from;
    private final int most;
    private final int growth;
    private final int rest;
    private int at;
    private int patience;

    /// @param from   the smallest table that is swept
    /// @param most   what the table holds
    /// @param growth the factor between sweeps
    /// @param rest   how often a full table refuses before it is swept again
    SweepSchedule(int from, int most, int growth, int rest) {
        this.from = from;
        this.most = most;
        this.growth = growth;
        this.rest = rest;
        this.at = from;
    }

    /// Asked when a value may be added. Each time counts.
    boolean isDue(int alive) {
        return alive >= at && --patience < 0;
    }

    void swept(int alive) {
        at = Math.max(from, Math.min(alive * growth, most));
        patience = alive > most / 4 * 3 ? rest : 0;
    }
}

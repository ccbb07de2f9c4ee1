package dev.belay.agent;

/// Measures text in the tokens of a language model.
public interface Tokens {
    /// How many tokens a text has.
    long count(String text);

    /// The most characters that this many tokens can have.
    int mostChars(int tokens);

    /// An estimate on the high side for the tokenizers in use, in one pass and without their tables.
    static Tokens estimated() {
        return EstimatedTokens.INSTANCE;
    }
}

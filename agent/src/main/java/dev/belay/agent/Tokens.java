package dev.belay.agent;

import com.knuddels.jtokkit.Encodings;
import com.knuddels.jtokkit.api.Encoding;
import com.knuddels.jtokkit.api.EncodingType;

/// Measures text in the tokens of a language model.
public interface Tokens {
    /// How many tokens a text has.
    long count(String text);

    /// The most characters that so many tokens can have.
    int mostChars(int tokens);

    /// About four characters a token: free, and close for English and code.
    static Tokens approximate() {
        return new Tokens() {
            @Override
            public long count(String text) {
                return (text.length() + 3L) / 4;
            }

            @Override
            public int mostChars(int tokens) {
                return tokens * 4;
            }
        };
    }

    /// Counted with the tables of OpenAI's `o200k_base`: exact for models that use it, close for others.
    static Tokens exact() {
        Encoding encoding = Encodings.newLazyEncodingRegistry().getEncoding(EncodingType.O200K_BASE);
        return new Tokens() {
            @Override
            public long count(String text) {
                return encoding.countTokensOrdinary(text);
            }

            @Override
            public int mostChars(int tokens) {
                return tokens * 8;
            }
        };
    }
}

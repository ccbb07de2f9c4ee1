package dev.belay.agent;

import com.knuddels.jtokkit.Encodings;
import com.knuddels.jtokkit.api.Encoding;
import com.knuddels.jtokkit.api.EncodingType;

/// Counts with the tables of OpenAI's `o200k_base`, as a program that embeds the tools could.
final class ExactTokens implements Tokens {
    private final Encoding encoding = Encodings.newLazyEncodingRegistry().getEncoding(EncodingType.O200K_BASE);

    @Override
    public long count(String text) {
        return encoding.countTokensOrdinary(text);
    }

    @Override
    public int mostChars(int tokens) {
        return tokens * 8;
    }
}

package dev.belay.server.settings;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;

/// A token as it is kept: its SHA-256. Tokens are long and random, so no slow hash is needed to protect them.
public final class TokenHash {
    private static final String PREFIX = "sha256:";
    private static final int TOKEN_BYTES = 32;
    private static final SecureRandom RANDOM = new SecureRandom();

    /// Of no text at all, and of the line that `echo` prints for a variable that is not set.
    private static final List<TokenHash> OF_NOTHING = List.of(of(""), of("\n"));

    private final byte[] digest;

    private TokenHash(byte[] digest) {
        this.digest = digest;
    }

    public static TokenHash of(String token) {
        try {
            return new TokenHash(
                    MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java has SHA-256", e);
        }
    }

    /// Reads what [#text()] wrote.
    public static TokenHash parse(String text) {
        try {
            if (text.startsWith(PREFIX)) {
                byte[] digest = HexFormat.of().parseHex(text.substring(PREFIX.length()));
                if (digest.length == 32) {
                    return new TokenHash(digest).requireToken();
                }
            }
        } catch (IllegalArgumentException _) {
            // Said below.
        }
        throw new SessionException(
                ErrorCode.INVALID_REQUEST,
                "A token's hash is 'sha256:' and 64 hexadecimal digits; 'belay token NAME' makes a token and prints its"
                        + " hash.");
    }

    /// Refuses the hash of an empty token, which anybody can present.
    ///
    /// @return this
    TokenHash requireToken() {
        if (OF_NOTHING.contains(this)) {
            throw new SessionException(
                    ErrorCode.INVALID_REQUEST,
                    "This is the hash of an empty token; make a token and its hash with 'belay token NAME'.");
        }
        return this;
    }

    /// A new token: 256 random bits, safe in headers and addresses.
    public static String newToken() {
        byte[] random = new byte[TOKEN_BYTES];
        RANDOM.nextBytes(random);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(random);
    }

    /// As the settings have it.
    public String text() {
        return PREFIX + HexFormat.of().formatHex(digest);
    }

    /// In constant time.
    @Override
    public boolean equals(Object other) {
        return other instanceof TokenHash hash && MessageDigest.isEqual(digest, hash.digest);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(digest);
    }

    /// Enough to tell two apart in a log.
    @Override
    public String toString() {
        return text().substring(0, PREFIX.length() + 8);
    }
}

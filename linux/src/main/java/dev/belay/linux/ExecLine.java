package dev.belay.linux;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/// A command line as the kernel shows it in `/proc/PID/cmdline`: its SHA-256, because a process may wait for long with
/// megabytes of words.
record ExecLine(String hash) {
    /// @param words with one character per byte
    static ExecLine of(List<String> words) {
        MessageDigest digest = digest();
        for (String word : words) {
            digest.update(word.getBytes(StandardCharsets.ISO_8859_1));
            digest.update((byte) 0);
        }
        return new ExecLine(HexFormat.of().formatHex(digest.digest()));
    }

    /// @param line what `/proc/PID/cmdline` says
    static ExecLine of(byte[] line) {
        return new ExecLine(HexFormat.of().formatHex(digest().digest(line)));
    }

    private static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }
}

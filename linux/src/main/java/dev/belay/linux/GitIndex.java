package dev.belay.linux;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// The names of the files that a Git repository tracks, from its index. A session may have written the index, so
/// nothing
/// in it is believed: what makes no sense ends the list.
final class GitIndex {
    private static final int MAX_BYTES = 64 << 20;
    private static final int SIGNATURE = 0x44495243;
    private static final int HEADER_BYTES = 12;
    /// Times, numbers and size of a file, before the hash.
    private static final int FIXED_BYTES = 40;
    private static final int MODE_OFFSET = 24;
    static final int SUBMODULE = 0xE000;
    private static final int EXTENDED = 0x4000;
    private static final int WITH_EXTENDED = 3;
    private static final int COMPRESSED = 4;
    private static final int MAX_NAME = 4096;

    private GitIndex() {}

    /// Says which files are wanted.
    @FunctionalInterface
    interface Wanted {
        /// Whether a file is wanted.
        ///
        /// @param mode of the file; [GitIndex#SUBMODULE] for another repository
        /// @param name the last part of its name
        boolean test(int mode, String name);
    }

    /// The names of files that a repository tracks.
    ///
    /// @param index  where its index is
    /// @param config where its settings are
    static List<String> of(Beneath files, String index, String config, int most, Wanted wanted) {
        byte[] content = files.read(index, MAX_BYTES);
        boolean sha256 = content != null
                && GitProtection.config(files, config).values("extensions", "objectformat").contains("sha256");
        return content == null ? List.of() : names(content, sha256 ? 32 : 20, most, wanted);
    }

    /// The names of tracked files that somebody wants.
    ///
    /// @param hashBytes 20, or 32 for SHA-256
    static List<String> names(byte[] content, int hashBytes, int most, Wanted wanted) {
        List<String> names = new ArrayList<>();
        ByteBuffer index = ByteBuffer.wrap(content);
        if (content.length < HEADER_BYTES || index.getInt() != SIGNATURE) {
            return names;
        }
        int version = index.getInt();
        int count = index.getInt();
        byte[] name = new byte[MAX_NAME];
        int length = 0;
        int at = HEADER_BYTES;
        for (int i = 0; i < count && names.size() < most; i++) {
            int begin = at;
            at += FIXED_BYTES + hashBytes;
            if (at + 2 > content.length) {
                break;
            }
            boolean extended = version >= WITH_EXTENDED && (index.getShort(at) & EXTENDED) != 0;
            at += extended ? 4 : 2;
            int kept = 0;
            if (version == COMPRESSED) {
                int cut = 0;
                int b;
                do {
                    if (at >= content.length) {
                        return names;
                    }
                    b = content[at++];
                    cut = (cut << 7) | (b & 0x7F);
                    cut += (b & 0x80) != 0 ? 1 : 0;
                } while ((b & 0x80) != 0 && cut < MAX_NAME);
                kept = Math.max(0, length - cut);
            }
            int end = at;
            while (end < content.length && content[end] != 0) {
                end++;
            }
            if (end >= content.length || kept + end - at > MAX_NAME) {
                break;
            }
            System.arraycopy(content, at, name, kept, end - at);
            length = kept + end - at;
            at = version == COMPRESSED ? end + 1 : begin + ((end - begin + 8) & ~7);
            int slash = length;
            while (slash > 0 && name[slash - 1] != '/') {
                slash--;
            }
            if (wanted.test(
                    index.getInt(begin + MODE_OFFSET),
                    new String(name, slash, length - slash, StandardCharsets.UTF_8))) {
                names.add(new String(name, 0, length, StandardCharsets.UTF_8));
            }
        }
        return names;
    }
}

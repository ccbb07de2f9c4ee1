package dev.belay;

import java.util.List;

/// A program that a process of a watched session asks to start, as it was read from that process.
///
/// @param pid           the process that asks
/// @param images        what the kernel would run: the file itself; then the interpreters that its `#!` lines name, or
///                      the program that a loader such as `ld.so` is given
/// @param workdir       the working folder of the process, as the process sees it; empty if unknown
/// @param foreignLoader whether variables such as `LD_PRELOAD` bring in code that the session did not begin with, or
///                      may do so
/// @param variables     the variables that steer the program
public record Execution(
        long pid, List<Image> images, String workdir, boolean foreignLoader, Variables variables) {
    public Execution {
        images = List.copyOf(images);
    }

    /// A program that no variable steers.
    public Execution(long pid, List<Image> images, String workdir, boolean foreignLoader) {
        this(pid, images, workdir, foreignLoader, Variables.NONE);
    }

    /// The variables that steer a program, such as `GIT_SSH_COMMAND`. Their values may be secret.
    ///
    /// @param digest  stands for all names and values
    /// @param changed the names of those that the session did not begin with, or not with this value
    public record Variables(String digest, List<String> changed) {
        private static final int DIGITS = 32;

        public static final Variables NONE = new Variables("none", List.of());

        public Variables {
            changed = List.copyOf(changed);
        }

        /// The digest of variables.
        ///
        /// @param all the variables, as `NAME=VALUE`
        public static Variables of(List<String> all, List<String> changed) {
            return all.isEmpty()
                    ? new Variables(NONE.digest(), changed)
                    : new Variables(
                            Quoted.digest(String.join("\0", all.stream().sorted().toList())).substring(0, DIGITS),
                            changed);
        }
    }

    /// One program.
    ///
    /// @param program  the path of the file, without links; for a file without a name, what is known of it
    /// @param named    false if the file has no name that says what it is: a memory file, a deleted file, a file that
    ///                 is unknown
    /// @param writable whether the session may change the file
    /// @param words    the command line, beginning with the name that the program is given
    /// @param whole    false if there are more words
    public record Image(String program, boolean named, boolean writable, List<String> words, boolean whole) {
        public Image {
            words = List.copyOf(words);
        }

        /// The file name without its folder.
        public String name() {
            return program.substring(program.lastIndexOf('/') + 1);
        }
    }

    /// The file that the process named.
    public Image first() {
        return images.getFirst();
    }
}

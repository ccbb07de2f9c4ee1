package dev.belay.cli;

import java.util.LinkedHashMap;
import java.util.Map;

/// One fact about the machine, and what it means for Belay.
///
/// @param key     its name for programs, which never changes
/// @param label   its name for people
/// @param value   the fact in words
/// @param meaning one sentence about its effect; empty if all is well
/// @param fix     what exactly to do about it; empty if there is nothing to do
/// @param data    the fact for programs: strings, numbers, booleans and lists of strings
record Finding(
        String key, String label, Status status, String value, String meaning, String fix, Map<String, Object> data) {
    /// Whether Belay works with it.
    enum Status {
        OK("ok", "32"),
        NOTE("note", "33"),
        MISSING("missing", "31");

        private final String word;
        private final String colour;

        Status(String word, String colour) {
            this.word = word;
            this.colour = colour;
        }

        String word() {
            return word;
        }

        String colour() {
            return colour;
        }
    }

    static Finding ok(String key, String label, String value) {
        return new Finding(key, label, Status.OK, value, "", "", Map.of());
    }

    /// The same fact, as something to know.
    Finding note(String meaning, String fix) {
        return new Finding(key, label, Status.NOTE, value, meaning, fix, data);
    }

    /// The same fact, as something that Belay needs and does not have.
    Finding missing(String meaning, String fix) {
        return new Finding(key, label, Status.MISSING, value, meaning, fix, data);
    }

    /// The same fact, with one more value for programs.
    Finding with(String name, Object fact) {
        Map<String, Object> more = new LinkedHashMap<>(data);
        more.put(name, fact);
        return new Finding(key, label, status, value, meaning, fix, more);
    }
}

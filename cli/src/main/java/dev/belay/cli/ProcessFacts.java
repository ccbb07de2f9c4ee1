package dev.belay.cli;

import dev.belay.linux.ControlGroups;
import dev.belay.linux.Machine;
import dev.belay.linux.Trial;
import java.util.List;
import java.util.Optional;

/// Where Belay and the processes of its sessions live: control groups and parents.
final class ProcessFacts {
    private ProcessFacts() {}

    static List<Finding> look() {
        ControlGroups groups = Machine.controlGroups();
        return List.of(
                version(groups), delegation(groups), subreaper(Machine.subreaper()),
                first(ProcessHandle.current().pid()));
    }

    static Finding version(ControlGroups groups) {
        String value =
                switch (groups.version()) {
                    case NONE -> "none";
                    case V1 -> "version 1";
                    case V2 -> "version 2";
                    case HYBRID -> "versions 1 and 2, controllers with version 1";
                };
        String controllers = groups.controllers().isEmpty() ? "" : ": " + String.join(" ", groups.controllers());
        String place = groups.mount() == null ? "" : ", at " + groups.mount();
        return Finding.ok("process.cgroup", "cgroups", value + place + controllers)
                .with("version", groups.version().toString())
                .with("mount", groups.mount() == null ? "" : groups.mount())
                .with("own", groups.own() == null ? "" : groups.own())
                .with("controllers", groups.controllers());
    }

    /// Nothing to worry about either way: without groups, only sessions that ask to be limited as a whole are refused.
    private static Finding delegation(ControlGroups groups) {
        Trial delegated = groups.delegated();
        List<String> usable = delegated.worked() ? groups.usable() : List.of();
        String value;
        if (!delegated.worked()) {
            value = "no groups can be made: " + delegated.why() + "; sessions cannot be limited as a whole";
        } else if (usable.isEmpty()) {
            value = "groups can be made in " + groups.place() + ", without controllers:"
                    + " they hold sessions that ask for one, but cannot limit them";
        } else {
            value = "groups can be made in " + groups.place() + " and limit sessions as a whole by "
                    + String.join(", ", usable);
        }
        return Finding.ok("process.delegation", "delegation", value)
                .with("delegated", delegated.worked())
                .with("used", delegated.worked())
                .with("usable_controllers", usable);
    }

    /// Belay makes itself none; whoever started it may have.
    static Finding subreaper(Optional<Boolean> is) {
        String key = "process.subreaper";
        Finding finding = is.orElse(false)
                ? Finding.note(
                        key,
                        "subreaper",
                        "Belay is one, as whoever started it wanted",
                        "Orphans that belong to no session become its children, and stay as zombies.",
                        "start Belay without PR_SET_CHILD_SUBREAPER")
                : Finding.ok(
                        key,
                        "subreaper",
                        (is.isPresent() ? "Belay is none" : "not asked") + "; it finds processes by their tags");
        return finding.with("subreaper", is.orElse(false));
    }

    static Finding first(long pid) {
        Finding finding = pid != 1
                ? Finding.ok("process.init", "init", "Belay is not the first process (its pid is " + pid + ")")
                : Finding.note(
                        "process.init",
                        "init",
                        "Belay is the first process (pid 1)",
                        "Orphans that belong to no session become its children, and stay as zombies.",
                        "run the container with an init: docker run --init, or init: true in compose");
        return finding.with("pid", pid);
    }
}

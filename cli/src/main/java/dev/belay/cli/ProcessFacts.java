package dev.belay.cli;

import dev.belay.linux.Attempt;
import dev.belay.linux.CgroupSupport;
import dev.belay.linux.Machine;
import java.util.List;
import java.util.Optional;

/// Where Belay and the processes of its sessions run: cgroups and parent processes.
final class ProcessFacts {
    private static final String ZOMBIES =
            "Belay becomes the parent of orphans from outside its sessions. They stay as zombies.";

    private ProcessFacts() {}

    /// @param isolated whether the settings keep all sessions in a sandbox
    static List<Finding> look(boolean isolated) {
        CgroupSupport groups = Machine.controlGroups();
        return List.of(
                version(groups), delegation(groups), subreaper(Machine.subreaper()),
                first(ProcessHandle.current().pid()), isolation(isolated));
    }

    private static Finding isolation(boolean isolated) {
        if (isolated) {
            return Finding.ok("process.isolation", "isolation", "sandbox").with("isolated", true);
        }
        return Finding.ok("process.isolation", "isolation", "none: sessions run as the user who runs Belay")
                .with("isolated", false)
                .note(
                        "A session can read all files of this user, including a server's token: principals are not"
                                + " protected from each other's processes.",
                        "set isolation.tier to \"sandbox\", or run one server per user, if people or agents must not"
                                + " reach each other");
    }

    static Finding version(CgroupSupport groups) {
        String value =
                switch (groups.version()) {
                    case NONE -> "none";
                    case V1 -> "version 1";
                    case V2 -> "version 2";
                    case HYBRID -> "versions 1 and 2; version 1 has the controllers";
                };
        String controllers = groups.controllers().isEmpty() ? "" : ": " + String.join(" ", groups.controllers());
        String place = groups.mount() == null ? "" : ", at " + groups.mount();
        return Finding.ok("process.cgroup", "cgroups", value + place + controllers)
                .with("version", groups.version().toString())
                .with("mount", groups.mount() == null ? "" : groups.mount())
                .with("own", groups.own() == null ? "" : groups.own())
                .with("controllers", groups.controllers());
    }

    /// Always ok: without cgroups, Belay refuses only sessions that ask for limits on the session as a whole.
    private static Finding delegation(CgroupSupport groups) {
        Attempt delegated = groups.delegated();
        List<String> usable = delegated.worked() ? groups.usable() : List.of();
        String value;
        if (!delegated.worked()) {
            value = "cannot create cgroups: " + delegated.why() + "; no limits on whole sessions";
        } else if (usable.isEmpty()) {
            value = "can create cgroups in " + groups.place() + ", but without controllers:"
                    + " they can hold a session, but not limit it";
        } else {
            value = "can create cgroups in " + groups.place() + " and limit whole sessions by "
                    + String.join(", ", usable);
        }
        return Finding.ok("process.delegation", "delegation", value)
                .with("delegated", delegated.worked())
                .with("used", delegated.worked())
                .with("usable_controllers", usable);
    }

    /// Belay does not make itself a subreaper, but the program that started it may have.
    static Finding subreaper(Optional<Boolean> known) {
        boolean is = known.orElse(false);
        String value = is
                ? "Belay is one; its parent process made it one"
                : (known.isPresent() ? "Belay is not one" : "unknown") + "; Belay finds processes by their tags";
        Finding finding = Finding.ok("process.subreaper", "subreaper", value).with("subreaper", is);
        return is ? finding.note(ZOMBIES, "start Belay without PR_SET_CHILD_SUBREAPER") : finding;
    }

    static Finding first(long pid) {
        String value = pid == 1
                ? "Belay is pid 1"
                : "Belay is not pid 1 (it is " + pid + ")";
        Finding finding = Finding.ok("process.init", "init", value).with("pid", pid);
        return pid != 1
                ? finding
                : finding.note(ZOMBIES, "run the container with an init: docker run --init, or init: true in compose");
    }
}

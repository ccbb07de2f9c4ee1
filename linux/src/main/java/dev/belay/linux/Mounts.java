package dev.belay.linux;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The mounted file systems, from `/proc/self/mountinfo`.
///
/// @param list in mount order: a later mount hides an earlier one at the same point
record Mounts(List<Mount> list) {
    /// @param root    the folder of the file system that appears at the mount point
    /// @param options options of the whole file system, such as `hidepid=2` or the name of a controller
    record Mount(String root, String point, String type, List<String> options) {
        /// The value of an option `name=value`, if set.
        Optional<String> option(String name) {
            return options.stream()
                    .filter(option -> option.startsWith(name + "="))
                    .map(option -> option.substring(name.length() + 1))
                    .findFirst();
        }
    }

    static Mounts parse(String mountinfo) {
        List<Mount> mounts = new ArrayList<>();
        for (String line : mountinfo.split("\n", -1)) {
            // 36 35 98:0 /root /point rw,noatime shared:1 - ext4 /dev/sda rw,data=ordered
            int dash = line.indexOf(" - ");
            String[] before = dash < 0 ? new String[0] : line.substring(0, dash).split(" ", -1);
            String[] after = dash < 0 ? new String[0] : line.substring(dash + 3).split(" ", -1);
            if (before.length >= 6 && after.length >= 3) {
                mounts.add(new Mount(
                        plain(before[3]), plain(before[4]), after[0], List.of(after[after.length - 1].split(",", -1))));
            }
        }
        return new Mounts(List.copyOf(mounts));
    }

    /// The mount that is visible at a path.
    Optional<Mount> at(String point) {
        return list.stream().filter(mount -> mount.point().equals(point)).reduce((_, later) -> later);
    }

    List<Mount> ofType(String type) {
        return list.stream().filter(mount -> mount.type().equals(type)).toList();
    }

    /// The kernel writes spaces, tabs, newlines and backslashes as three octal digits.
    private static String plain(String escaped) {
        if (escaped.indexOf('\\') < 0) {
            return escaped;
        }
        byte[] bytes = escaped.getBytes(StandardCharsets.UTF_8);
        byte[] plain = new byte[bytes.length];
        int length = 0;
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] == '\\' && i + 3 < bytes.length) {
                plain[length++] = (byte) ((bytes[i + 1] - '0') << 6 | (bytes[i + 2] - '0') << 3 | (bytes[i + 3] - '0'));
                i += 3;
            } else {
                plain[length++] = bytes[i];
            }
        }
        return new String(plain, 0, length, StandardCharsets.UTF_8);
    }
}

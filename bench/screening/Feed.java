import com.sun.management.OperatingSystemMXBean;
import dev.belay.screen.Row;
import dev.belay.screen.Screen;
import dev.belay.screen.ScreenLimits;
import dev.belay.screen.Sight;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;

/// Feeds a file to Belay's screen for each line on stdin, and prints the microseconds of CPU time that took: the whole process's, with
/// the compiler's and the collector's.
final class Feed {
    private static final int CHUNK = 65_536;
    private static final long ENOUGH = 500_000_000;

    private Feed() {
    }

    public static void main(String[] args) throws IOException {
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String file = in.readLine(); file != null; file = in.readLine()) {
            byte[] bytes = Files.readAllBytes(Path.of(file));
            Screen screen = new Screen(80, 24, ScreenLimits.defaults().withKeptRows(0));
            long before = system.getProcessCpuTime();
            long nanos = 0;
            int times = 0;
            // the clock ticks every 10 ms
            for (; nanos < ENOUGH; times++) {
                screen = new Screen(80, 24, ScreenLimits.defaults().withKeptRows(0));
                for (int at = 0; at < bytes.length; at += CHUNK) {
                    screen.feed(bytes, at, Math.min(bytes.length, at + CHUNK));
                }
                nanos = system.getProcessCpuTime() - before;
            }
            long micros = nanos / 1000 / times;
            String rows = screen.snapshot(Sight.ALL, 0).rows().stream().map(Row::text).map(Feed::quoted)
                    .collect(Collectors.joining(","));
            System.out.println("{\"micros\":" + micros + ",\"rows\":[" + rows + "]}");
        }
    }

    private static String quoted(String text) {
        StringBuilder out = new StringBuilder("\"");
        for (char c : text.stripTrailing().toCharArray()) {
            out.append(c == '"' || c == '\\' || c < ' ' || c > '~' ? String.format("\\u%04x", (int) c) : String.valueOf(c));
        }
        return out.append('"').toString();
    }
}

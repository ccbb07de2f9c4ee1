package dev.belay.cli;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `belay doctor`: what this machine offers, and what Belay does with it. It starts no session.
@Command(name = "doctor", sortOptions = false)
final class DoctorCommand implements Callable<Integer> {
    private static final int INCOMPLETE = 1;

    @Option(names = "--config", paramLabel = "FILE", description = Help.CONFIG)
    private @Nullable Path config;

    @Option(names = "--json", description = Help.JSON)
    private boolean json;

    @Option(names = {"-h", "--help"}, usageHelp = true, description = Help.HELP)
    @SuppressWarnings("UnusedVariable")
    private boolean help;

    @Override
    public Integer call() throws IOException {
        String version = new BelayCommand.Version().getVersion()[0].substring("belay ".length());
        Report report = new Report(
                version,
                List.of(
                        new Report.Group("Java", JavaFacts.look()),
                        new Report.Group("System", SystemFacts.look()),
                        new Report.Group("Room for sessions", RoomFacts.look()),
                        new Report.Group("Processes", ProcessFacts.look()),
                        new Report.Group("State", StateFacts.look(System.getenv())),
                        new Report.Group("Settings", SettingsFacts.look(config, System.getenv()))));
        int code = report.complete() ? 0 : INCOMPLETE;
        return print(json ? report.json() : report.text(Stdio.coloured())) ? code : ExitCodes.NO_READER;
    }

    /// Prints it, past a stream that would hide that it could not; false if nobody reads it.
    private static boolean print(String text) {
        // Not closed: standard output is not ours.
        FileOutputStream out = new FileOutputStream(FileDescriptor.out);
        try {
            out.write(text.getBytes(System.out.charset()));
            return true;
        } catch (IOException e) {
            if ("Broken pipe".equals(e.getMessage())) {
                return false;
            }
            throw new SessionException(
                    ErrorCode.UNAVAILABLE, "The report could not be written: " + e.getMessage(), Map.of(), e);
        }
    }
}

package dev.belay.cli;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import dev.belay.cli.args.Arguments;
import dev.belay.cli.args.Command;
import dev.belay.cli.args.Syntax;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// `belay doctor`: checks whether this machine has what Belay needs. Starts no session.
final class DoctorCommand implements Command {
    private static final String ABOUT = """
            Checks what Belay needs and prints one line per check: ok, note (Belay works,
            but you may want to know) or missing (Belay does not work), with a fix.
            It starts no session and leaves nothing behind.""";

    private static final String MORE = """
            @|bold Exit status:|@
              0      Belay has everything it needs
              1      something is missing
              125    Belay itself failed

            @|bold Examples:|@
              belay doctor
              belay doctor --json | jq -r '.missing[]'""";

    private static final int INCOMPLETE = 1;

    @Override
    public Syntax syntax() {
        return Syntax.of("doctor", "Show whether this machine has what Belay needs.", "belay doctor [OPTION...]")
                .description(ABOUT)
                .value("--config", "FILE", ServeCommand.CONFIG)
                .flag("--json", ServerOptions.JSON)
                .footer(MORE);
    }

    @Override
    public int run(Arguments given) throws IOException {
        Path config = given.path("--config");
        boolean isolated = GuardFacts.isolated(config, System.getenv());
        DoctorReport report = new DoctorReport(
                Version.read().number(),
                List.of(
                        new DoctorReport.Group("Java", JavaFacts.look()),
                        new DoctorReport.Group("System", SystemFacts.look()),
                        new DoctorReport.Group("Room for sessions", RoomFacts.look()),
                        new DoctorReport.Group("Processes", ProcessFacts.look(isolated)),
                        new DoctorReport.Group("Guard", GuardFacts.look(config, System.getenv())),
                        new DoctorReport.Group("State", StateFacts.look(System.getenv())),
                        new DoctorReport.Group("Settings", SettingsFacts.look(config, System.getenv()))));
        int code = report.complete() ? 0 : INCOMPLETE;
        return print(given.flag("--json") ? report.json() : report.text(Stdio.coloured())) ? code : ExitCodes.NO_READER;
    }

    /// Prints without `System.out`, which would hide errors.
    ///
    /// @return false if nobody reads the output any more
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
                    ErrorCode.UNAVAILABLE, "Cannot write the report: " + e.getMessage(), Map.of(), e);
        }
    }
}

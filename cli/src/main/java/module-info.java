/// The command `belay`: the place where everything is wired together.
module dev.belay.cli {
    requires dev.belay.core;
    requires dev.belay.linux;
    requires dev.belay.agent;
    requires dev.belay.mcp;
    requires tomlj;
    requires info.picocli;
    requires jdk.unsupported;
    requires static org.jspecify;

    provides System.LoggerFinder with
            dev.belay.cli.StderrLogs;

    opens dev.belay.cli to
            info.picocli;
}

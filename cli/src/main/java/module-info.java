/// The command `belay`: the place where everything is wired together.
module dev.belay.cli {
    requires dev.belay.core;
    requires dev.belay.linux;
    requires dev.belay.agent;
    requires dev.belay.mcp;
    requires dev.belay.server;
    requires info.picocli;
    requires jdk.unsupported;
    requires org.slf4j;
    requires org.tomlj;
    requires static org.jspecify;

    provides System.LoggerFinder with
            dev.belay.cli.StderrLogs;
    provides org.slf4j.spi.SLF4JServiceProvider with
            dev.belay.cli.Slf4jLogs;

    opens dev.belay.cli to
            info.picocli;
    opens dev.belay.cli.config to
            info.picocli;
}

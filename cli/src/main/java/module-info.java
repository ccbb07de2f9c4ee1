/// The command `belay`: the place where everything is wired together.
module dev.belay.cli {
    requires dev.belay.core;
    requires dev.belay.linux;
    requires dev.belay.agent;
    requires dev.belay.mcp;
    requires dev.belay.screen;
    requires dev.belay.screens;
    requires dev.belay.server;
    requires java.net.http;
    requires jdk.unsupported;
    requires org.slf4j;
    requires re2j;
    requires org.tomlj;
    requires static org.jspecify;

    provides System.LoggerFinder with
            dev.belay.cli.StderrLogs;
    provides org.slf4j.spi.SLF4JServiceProvider with
            dev.belay.cli.Slf4jLogs;
}

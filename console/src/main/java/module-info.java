/// The web console: the files of the page that the server shows at `/`.
module dev.belay.console {
    requires static transitive org.jspecify;

    exports dev.belay.console;
}

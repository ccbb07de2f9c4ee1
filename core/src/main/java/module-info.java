/// Belay's core: the API, the domain and the interface that hosts implement. It needs `java.base` and re2j only.
module dev.belay.core {
    requires re2j;
    requires static transitive org.jspecify;

    exports dev.belay;
    exports dev.belay.access;
    exports dev.belay.host;
}

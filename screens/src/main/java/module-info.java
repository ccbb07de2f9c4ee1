/// The screens of sessions: what a person would see, and answers to what programs ask their terminal.
module dev.belay.screens {
    requires transitive dev.belay.core;
    requires transitive dev.belay.screen;
    requires re2j;
    requires static org.jspecify;

    exports dev.belay.screens;
}

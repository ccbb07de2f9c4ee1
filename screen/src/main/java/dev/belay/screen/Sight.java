package dev.belay.screen;

/// Who looks: someone who may see everything, or only what is public.
public enum Sight {
    /// Private output included.
    ALL,
    /// What private output printed is blank, its titles and links are missing.
    PUBLIC
}

package dev.belay.server.wire;

import java.util.List;
import org.eclipse.jetty.http.HttpHeader;

/// Headers of Belay's own answers.
public final class Headers {
    public static final String OUTPUT_START = "Belay-Output-Start";
    public static final String OUTPUT_NEXT = "Belay-Output-Next";
    public static final String GAP = "Belay-Gap";
    public static final String EXITED = "Belay-Exited";
    public static final String END = "Belay-End";
    public static final String SCREEN_SIZE = "Belay-Screen-Size";

    /// What a page of an allowed origin may read.
    public static final List<String> EXPOSED = List.of(
            OUTPUT_START, OUTPUT_NEXT, GAP, EXITED, END, SCREEN_SIZE,
            HttpHeader.RETRY_AFTER.asString(), HttpHeader.ALLOW.asString(), HttpHeader.WWW_AUTHENTICATE.asString(),
            "Mcp-Session-Id");

    private Headers() {}
}

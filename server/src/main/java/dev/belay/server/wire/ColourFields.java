package dev.belay.server.wire;

import dev.belay.Quoted;
import dev.belay.screen.Colours;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// The colours of a viewer's window as clients send them: `{foreground, background, cursor, palette}`, each as
/// `#rrggbb`.
public final class ColourFields {
    private static final int MAX_BYTES = 4 << 10;
    private static final Pattern HEX = Pattern.compile("#(\\p{XDigit}{3}|\\p{XDigit}{6})");

    private ColourFields() {}

    /// Reads a whole message.
    public static Colours of(byte[] json) {
        if (json.length > MAX_BYTES) {
            throw Requests.invalid("The colours may have at most " + MAX_BYTES + " bytes.");
        }
        RequestFields fields = new RequestFields(Json.object(Json.reader(4, MAX_BYTES), json));
        Colours colours = of(fields);
        fields.requireNoMore();
        return colours;
    }

    /// Reads the fields; what is missing is as in [Colours#defaults].
    public static Colours of(RequestFields body) {
        Colours standard = Colours.defaults();
        return new Colours(
                body.text("foreground").map(ColourFields::colour).orElse(standard.foreground()),
                body.text("background").map(ColourFields::colour).orElse(standard.background()),
                body.text("cursor").map(ColourFields::colour).orElse(standard.cursor()),
                body.texts("palette").map(ColourFields::palette).orElse(standard.palette()));
    }

    private static List<Integer> palette(List<String> colours) {
        if (colours.size() != Colours.defaults().palette().size()) {
            throw Requests.invalid("palette must have 16 colours.");
        }
        List<Integer> palette = new ArrayList<>();
        colours.forEach(text -> palette.add(colour(text)));
        return palette;
    }

    private static int colour(String text) {
        if (!HEX.matcher(text).matches()) {
            throw Requests.invalid("A colour is written as #rrggbb, not " + Quoted.of(text) + ".");
        }
        String digits = text.substring(1);
        return Integer.parseInt(digits.length() == 6 ? digits : digits.replaceAll("(.)", "$1$1"), 16);
    }
}

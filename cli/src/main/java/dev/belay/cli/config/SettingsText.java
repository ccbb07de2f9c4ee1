package dev.belay.cli.config;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import dev.belay.server.settings.Account;
import dev.belay.server.settings.TokenHash;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.tomlj.Toml;
import org.tomlj.TomlArray;
import org.tomlj.TomlPosition;
import org.tomlj.TomlTable;

/// A settings file as a person wrote it. Tokens can be added and removed; everything else stays as it is, comments and
/// blank lines included. Every change is checked: if something else would change too, nothing does.
///
/// @param name the name of the file in errors
public record SettingsText(String text, String name) {
    private static final String PRINCIPALS = "principals";
    private static final String TOKENS = "tokens";

    /// What it says.
    public Config config() {
        return Config.parse(text, name);
    }

    /// The principals in it, in order.
    public List<Account> principals() {
        return config().server().accounts();
    }

    /// With one more principal.
    ///
    /// @param entry as it is to stand in the file
    public SettingsText withPrincipal(String principal, String entry) {
        String end = text.isEmpty() || text.endsWith("\n") ? "" : lineEnd();
        String gap = text.isBlank() ? "" : lineEnd();
        String added = text + end + gap + entry.replace("\n", lineEnd());
        return checked(added, principal, null);
    }

    /// With one more token of a principal that exists.
    public SettingsText withToken(String principal, TokenHash token) {
        TomlTable entry = entry(principal);
        TomlArray tokens = entry.getArray(TOKENS);
        String quoted = "\"" + token.text() + "\"";
        Set<TokenHash> expected = tokens(principal);
        expected.add(token);
        if (tokens == null) {
            int line = endOfLine(offset(entry.inputPositionOf("name")));
            return checked(inserted(line, lineEnd() + TOKENS + " = [" + quoted + "]"), principal, expected);
        }
        if (tokens.isEmpty()) {
            int open = text.indexOf('[', offset(entry.inputPositionOf(TOKENS)));
            return checked(inserted(open + 1, quoted), principal, expected);
        }
        Literal last = literal(tokens, tokens.size() - 1);
        int begin = text.lastIndexOf('\n', last.from()) + 1;
        String indent = text.substring(begin, last.from());
        int end = endOfLine(last.to());
        boolean ownLine = indent.isBlank() && text.substring(last.to(), end).strip().matches(",?\\s*(#.*)?");
        if (!ownLine) {
            return checked(inserted(last.to(), ", " + quoted), principal, expected);
        }
        // A line for each token: the comment behind the last one stays with it.
        boolean comma = text.substring(last.to(), end).strip().startsWith(",");
        String lines = text.substring(0, last.to()) + (comma ? "" : ",") + text.substring(last.to(), end)
                + lineEnd() + indent + quoted + (comma ? "," : "") + text.substring(end);
        return checked(lines, principal, expected);
    }

    /// Without some tokens of a principal. The principal stays, with its role and quota.
    public SettingsText withoutTokens(String principal, Set<TokenHash> revoked) {
        TomlArray tokens = entry(principal).getArray(TOKENS);
        Set<TokenHash> expected = tokens(principal);
        expected.removeAll(revoked);
        StringBuilder left = new StringBuilder(text);
        for (int i = tokens == null ? -1 : tokens.size() - 1; tokens != null && i >= 0; i--) {
            // From the last on, so that places before it stay.
            if (revoked.contains(TokenHash.parse(String.valueOf(tokens.get(i))))) {
                remove(left, literal(tokens, i));
            }
        }
        return checked(left.toString(), principal, expected);
    }

    private Set<TokenHash> tokens(String principal) {
        return new HashSet<>(principals().stream()
                .filter(one -> one.name().equals(principal))
                .findFirst()
                .orElseThrow()
                .tokens());
    }

    // --- places in the text ---

    /// A string in the file, with its quotes.
    private record Literal(int from, int to) {}

    private TomlTable entry(String principal) {
        TomlArray all = Toml.parse(text).getArray(PRINCIPALS);
        for (int i = 0; all != null && i < all.size(); i++) {
            TomlTable entry = all.getTable(i);
            if (principal.equals(entry.getString("name"))) {
                return entry;
            }
        }
        throw new SessionException(ErrorCode.NOT_FOUND, "There is no principal '" + principal + "' in " + name + ".");
    }

    /// tomlj counts lines and code points from 1.
    private int offset(@org.jspecify.annotations.Nullable TomlPosition at) {
        if (at == null) {
            throw byHand();
        }
        int begin = 0;
        for (int line = 1; line < at.line(); line++) {
            begin = text.indexOf('\n', begin) + 1;
        }
        return text.offsetByCodePoints(begin, at.column() - 1);
    }

    private Literal literal(TomlArray array, int index) {
        int from = offset(array.inputPositionOf(index));
        char quote = text.charAt(from);
        String whole = quote + String.valueOf(array.get(index)) + quote;
        // Not a string with escapes, or over several lines.
        if ((quote != '"' && quote != '\'') || !text.startsWith(whole, from)) {
            throw byHand();
        }
        return new Literal(from, from + whole.length());
    }

    private int endOfLine(int from) {
        int feed = text.indexOf('\n', from);
        int end = feed < 0 ? text.length() : feed;
        return end > from && text.charAt(end - 1) == '\r' ? end - 1 : end;
    }

    private String lineEnd() {
        return text.contains("\r\n") ? "\r\n" : "\n";
    }

    private String inserted(int at, String more) {
        return text.substring(0, at) + more + text.substring(at);
    }

    /// Removes a literal with the comma behind it, and its line if nothing else is on it. TOML allows a comma before
    /// the bracket, so the comma of a literal before it may stay.
    private static void remove(StringBuilder text, Literal literal) {
        int end = literal.to();
        while (end < text.length() && (text.charAt(end) == ' ' || text.charAt(end) == '\t')) {
            end++;
        }
        boolean comma = end < text.length() && text.charAt(end) == ',';
        end = comma ? end + 1 : literal.to();
        int begin = literal.from();
        if (!comma) {
            int before = begin;
            while (before > 0 && text.charAt(before - 1) == ' ') {
                before--;
            }
            begin = before > 0 && text.charAt(before - 1) == ',' ? before - 1 : begin;
        } else if (text.charAt(end) == ' ' && !text.substring(end).stripLeading().startsWith("#")) {
            end++;
        }
        text.delete(begin, end);
        int line = text.lastIndexOf("\n", begin - 1) + 1;
        int feed = text.indexOf("\n", begin);
        if (feed >= 0 && line > 0 && text.substring(line, feed).isBlank()) {
            text.delete(line, feed + 1);
        }
    }

    // --- the check ---

    /// @param tokens what the principal's tokens are to be; null if it is new
    private SettingsText checked(
            String changed, String principal, @org.jspecify.annotations.Nullable Set<TokenHash> tokens) {
        SettingsText after = new SettingsText(changed, name);
        List<String> differ;
        try {
            differ = new ArrayList<>(after.config().changed(config()));
        } catch (SessionException e) {
            throw new SessionException(e.code(), e.getMessage() + " Nothing was changed.");
        }
        boolean same = tokens == null || after.tokens(principal).equals(tokens);
        if (!same || !Set.of("principals." + principal).containsAll(differ)) {
            throw byHand();
        }
        return after;
    }

    private SessionException byHand() {
        return new SessionException(
                ErrorCode.INVALID_REQUEST,
                "The principals in " + name + " are written in a way that Belay cannot change without touching the"
                        + " rest; nothing was changed. Edit the file, then run 'belay reload'.");
    }
}

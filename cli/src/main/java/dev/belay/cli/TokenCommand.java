package dev.belay.cli;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import dev.belay.access.Role;
import dev.belay.cli.args.Arguments;
import dev.belay.cli.args.Command;
import dev.belay.cli.args.Parameter;
import dev.belay.cli.args.Similar;
import dev.belay.cli.args.Syntax;
import dev.belay.cli.args.UsageException;
import dev.belay.cli.config.SettingsText;
import dev.belay.server.settings.Account;
import dev.belay.server.settings.TokenHash;
import dev.belay.server.wire.Json;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;

/// `belay token`: makes a token for a principal, lists principals, revokes tokens.
///
/// Without `--save`, the new entry goes to standard output, so that it can be appended to a file. The token goes to
/// standard error, so that it does not end up in that file.
final class TokenCommand implements Command {
    private static final String ABOUT = """
            Makes a new token for a principal. The token itself is printed once, to
            standard error, or written to a file; the settings contain only its hash. With
            --save, the hash goes into the settings file, and a running server loads it at
            once. Otherwise the entry for that file goes to standard output.

            --list shows who has tokens, --revoke NAME takes tokens away. The settings file
            keeps its comments and formatting.""";

    private static final String EXAMPLES = """
            belay token alice --save
            belay token ci --role watch --out ci.token >> belay.toml
            belay token --list
            belay token --revoke alice
            belay token --revoke alice --hash 1a2b3c""";

    @Override
    public Syntax syntax() {
        Syntax own = Syntax.of("token", "Make, list and revoke principals' tokens.", "belay token [OPTION...] [NAME]")
                .description(ABOUT)
                .with(new Parameter(
                        "NAME", "Name of the principal: letters, digits, '_', '.', '@', '-'.", 0, 1, List.of()))
                .value("--role", "ROLE", "admin, user (default) or watch.", "admin", "user", "watch")
                .value("--out", "FILE", "Write the token to a new file, mode 0600, instead of printing it.")
                .flag("--save", "Write the entry to the settings file, then reload.")
                .flag("--list", "List the principals and the hashes of their tokens.")
                .value("--revoke", "NAME", "Remove all tokens of a principal, then reload.")
                .value("--hash", "HASH", "With --revoke: only the token whose hash begins like this.")
                .value("--config", "FILE", ServeCommand.CONFIG)
                .flag("--json", "With --list or --revoke: print JSON.");
        return ServerOptions.of(own, "", EXAMPLES);
    }

    @Override
    public int run(Arguments given) {
        String name = given.word(0);
        boolean lists = given.flag("--list");
        String revoked = given.text("--revoke");
        if ((name != null ? 1 : 0) + (lists ? 1 : 0) + (revoked != null ? 1 : 0) != 1) {
            throw wrong("give a NAME to make a token, or --list, or --revoke NAME");
        }
        refuse(given, name == null, "--role", "--out", "--save");
        refuse(given, revoked == null, "--hash");
        refuse(given, name != null, "--json");
        if (lists) {
            return list(given);
        }
        return revoked != null ? revoke(given, revoked) : make(given, String.valueOf(name));
    }

    private static void refuse(Arguments given, boolean unfit, String... options) {
        for (String option : options) {
            if (unfit && given.flag(option)) {
                throw wrong(option + " cannot be used here");
            }
        }
    }

    // --- make ---

    private static int make(Arguments given, String name) {
        String role = given.text("--role");
        Path out = given.path("--out");
        String token = TokenHash.newToken();
        TokenHash hash = TokenHash.of(token);
        String entry = entry(name, role == null ? Role.USER.label() : role, hash);
        PrincipalsFile file = given.flag("--save") ? PrincipalsFile.open(given.path("--config")) : null;
        SettingsText saved = file == null ? null : saved(file.text(), name, role, hash, entry);
        if (out != null) {
            write(out, token);
        }
        if (file != null && saved != null) {
            save(file, saved, out);
        }
        if (out == null) {
            System.err.println("Token of " + name + " (not shown again):\n" + token);
        }
        if (file != null) {
            Output.line("Saved to " + file.path() + ". " + reload(given, name));
            return 0;
        }
        System.err.println("Add this to belay.toml, then run 'belay reload':");
        System.err.flush();
        System.out.print(entry);
        System.out.flush();
        return 0;
    }

    /// Leaves no file with a token that nobody accepts.
    private static void save(PrincipalsFile file, SettingsText saved, @Nullable Path out) {
        boolean done = false;
        try {
            file.write(saved);
            done = true;
        } finally {
            if (!done && out != null) {
                out.toFile().delete();
            }
        }
    }

    private static SettingsText saved(
            SettingsText text, String name, @Nullable String role, TokenHash hash, String entry) {
        Account known =
                text.principals().stream().filter(one -> one.name().equals(name)).findFirst().orElse(null);
        if (known == null) {
            return text.withPrincipal(name, entry);
        }
        if (role != null && !known.role().label().equals(role)) {
            throw new SessionException(
                    ErrorCode.ALREADY_EXISTS,
                    name + " has the role " + known.role().label()
                            + "; leave out --role, or change it in the settings file.");
        }
        return text.withToken(name, hash);
    }

    // --- list and revoke ---

    private static int list(Arguments given) {
        PrincipalsFile file = PrincipalsFile.open(given.path("--config"));
        List<Account> accounts = file.text().principals();
        if (given.flag("--json")) {
            ArrayNode all = Json.array();
            for (Account account : accounts) {
                ArrayNode hashes = all.addObject().put("name", account.name()).put("role", account.role().label())
                        .putArray("tokens");
                account.tokens().forEach(token -> hashes.add(token.text()));
            }
            Output.json(Json.object().put("file", file.path().toString()).set("principals", all));
            return 0;
        }
        if (accounts.isEmpty()) {
            Output.line("There are no principals in " + file.path() + "; 'belay token NAME --save' makes one.");
            return 0;
        }
        int widest = accounts.stream().mapToInt(one -> one.name().length()).max().orElse(0);
        String format = "%-" + Math.max(widest, 4) + "s  %-5s  %s";
        Output.line(format.formatted("NAME", "ROLE", "TOKENS"));
        for (Account account : accounts) {
            String tokens = account.tokens().isEmpty()
                    ? "none"
                    : String.join(" ", account.tokens().stream().map(TokenHash::toString).toList());
            Output.line(format.formatted(account.name(), account.role().label(), tokens));
        }
        return 0;
    }

    private static int revoke(Arguments given, String name) {
        PrincipalsFile file = PrincipalsFile.open(given.path("--config"));
        List<Account> accounts = file.text().principals();
        if (name.equals("admin")) {
            throw wrong("the token of 'admin' is in the server's state folder; delete that file, then restart");
        }
        Account account = accounts.stream().filter(one -> one.name().equals(name)).findFirst()
                .orElseThrow(() -> new SessionException(
                        ErrorCode.NOT_FOUND,
                        "There is no principal '" + name + "' in " + file.path()
                                + Similar.suggestion(name, accounts.stream().map(Account::name).toList())));
        Set<TokenHash> revoked = Set.copyOf(chosen(account, given.text("--hash")));
        file.write(file.text().withoutTokens(name, revoked));
        String reloaded = reload(given, name);
        if (given.flag("--json")) {
            ArrayNode hashes = Json.array();
            account.tokens().stream().filter(revoked::contains).forEach(token -> hashes.add(token.text()));
            Output.json(Json.object().put("name", name).set("revoked", hashes));
        } else {
            Output.line("Revoked " + (revoked.size() == 1 ? "1 token" : revoked.size() + " tokens") + " of " + name
                    + ". " + reloaded);
        }
        return 0;
    }

    private static List<TokenHash> chosen(Account account, @Nullable String hash) {
        if (account.tokens().isEmpty()) {
            throw new SessionException(ErrorCode.NOT_FOUND, account.name() + " has no tokens.");
        }
        if (hash == null) {
            return account.tokens();
        }
        String begins = hash.startsWith("sha256:") ? hash : "sha256:" + hash;
        List<TokenHash> found =
                account.tokens().stream().filter(token -> token.text().startsWith(begins)).toList();
        if (found.isEmpty()) {
            throw new SessionException(
                    ErrorCode.NOT_FOUND,
                    account.name() + " has no token whose hash begins with '" + hash + "'; 'belay token --list' lists"
                            + " them.");
        }
        if (found.size() > 1) {
            throw wrong("several hashes begin with '" + hash + "'; type more of it");
        }
        return found;
    }

    /// Tells a running server to read its settings.
    ///
    /// @return what came of it, in a sentence
    private static String reload(Arguments given, String name) {
        RestClient client;
        try {
            client = ServerOptions.client(given);
        } catch (SessionException e) {
            if (e.code() == ErrorCode.UNAVAILABLE) {
                return "No server is running here; the next one will read it.";
            }
            throw e;
        }
        if (!client.server().answers()) {
            return "No server answers at " + client.server().uri() + "; the next one will read it.";
        }
        for (JsonNode changed : reload(client).path("changed")) {
            if (changed.asString("").equals("principals." + name)) {
                return "The server at " + client.server().uri() + " has loaded the change.";
            }
        }
        return "But the server at " + client.server().uri()
                + " reads another file: name that file with --config, or restart it with this one.";
    }

    private static JsonNode reload(RestClient client) {
        try {
            return client.post("/api/reload", Json.object());
        } catch (SessionException e) {
            throw new SessionException(
                    e.code(), "The settings file was changed, but the server did not load it: " + e.getMessage(),
                    e.details(), e);
        }
    }

    private static String entry(String name, String role, TokenHash hash) {
        if (name.equals("admin")) {
            throw wrong("the token of 'admin' is in the server's state folder; choose another name");
        }
        if (!List.of("admin", "user", "watch").contains(role)) {
            throw wrong("--role must be admin, user or watch");
        }
        try {
            Account account = new Account(name, Role.USER, List.of(hash), null);
            return """
                    [[principals]]
                    name = "%s"
                    role = "%s"
                    tokens = ["%s"]
                    """.formatted(account.name(), role, hash.text());
        } catch (SessionException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
    }

    private static UsageException wrong(String message) {
        return new UsageException(message);
    }

    private static void write(Path file, String token) {
        try (SeekableByteChannel to = Files.newByteChannel(
                file,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
            writeWhole(to, file, StandardCharsets.US_ASCII.encode(token + "\n"));
        } catch (FileAlreadyExistsException e) {
            throw new SessionException(
                    ErrorCode.ALREADY_EXISTS, "The file " + file + " already exists; delete it, or choose another.",
                    Map.of(), e);
        } catch (IOException e) {
            throw new SessionException(
                    ErrorCode.UNAVAILABLE, "Cannot write the token to " + file + " (" + e.getMessage()
                            + "); free some space on the disk, or choose another file.",
                    Map.of(), e);
        }
    }

    /// Leaves no file with a part of a token.
    private static void writeWhole(SeekableByteChannel to, Path file, ByteBuffer text) throws IOException {
        try {
            while (text.hasRemaining()) {
                to.write(text);
            }
        } catch (IOException e) {
            Files.deleteIfExists(file);
            throw e;
        }
    }
}

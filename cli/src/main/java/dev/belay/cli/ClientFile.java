package dev.belay.cli;

import dev.belay.SessionException;
import org.jspecify.annotations.Nullable;
import org.tomlj.Toml;
import org.tomlj.TomlParseResult;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.json.JsonReadFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/// The text of a client's file with one more entry. Everything else in it stays as it is written, comments and all.
///
/// @param text what the file holds now
record ClientFile(AgentClient client, String text) {
    private static final String NAME = "belay";
    /// The files of editors have comments, and commas too many.
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(JsonReadFeature.ALLOW_JAVA_COMMENTS)
            .enable(JsonReadFeature.ALLOW_TRAILING_COMMA)
            .build();

    /// Whether there is an entry of this name already.
    boolean has() {
        return client.isToml()
                ? toml(text).contains(client.section() + "." + NAME)
                : json(text).path(client.section()).has(NAME);
    }

    /// The text with the entry.
    ///
    /// @throws SessionException it cannot be parsed, or the entry cannot be added without touching others
    String with(String command) {
        if (text.isBlank()) {
            return client.document(command);
        }
        String added = client.isToml() ? withTable(command) : withMember(command);
        boolean intact = client.isToml()
                ? toml(added).contains(client.section() + "." + NAME)
                : without(json(added)).equals(without(json(text))) && json(added).path(client.section()).has(NAME);
        if (!intact) {
            throw SessionException.invalid("The entry cannot be added without touching others; add it by hand.");
        }
        return added;
    }

    private String withTable(String command) {
        toml(text);
        return text + (text.endsWith("\n") ? "\n" : "\n\n") + client.entry(command);
    }

    private String withMember(String command) {
        JsonNode root = json(text);
        JsonNode servers = root.get(client.section());
        String member = "\"" + NAME + "\": " + client.entry(command);
        if (servers == null) {
            return inserted(objectAt(null), "  \"" + client.section() + "\": {\n    " + member + "\n  }",
                    root.isEmpty());
        }
        if (!servers.isObject()) {
            throw unreadable(client.section() + " is not an object");
        }
        return inserted(objectAt(client.section()), "    " + member, servers.isEmpty());
    }

    private String inserted(int at, String member, boolean only) {
        String rest = text.substring(at);
        return text.substring(0, at) + "\n" + member + (only ? "" : ",") + (rest.startsWith("\n") ? "" : "\n") + rest;
    }

    /// Where an object begins, after its brace: the outermost, or the one that is its member.
    private int objectAt(@Nullable String member) {
        try (JsonParser parser = JSON.createParser(text)) {
            int depth = 0;
            String name = null;
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                if (token == JsonToken.PROPERTY_NAME && depth == 1) {
                    name = parser.currentName();
                } else if (token.isStructStart()) {
                    if (member == null || (depth == 1 && member.equals(name))) {
                        return (int) parser.currentTokenLocation().getCharOffset() + 1;
                    }
                    depth++;
                } else if (token.isStructEnd()) {
                    depth--;
                }
            }
        }
        throw unreadable("it holds no object");
    }

    private JsonNode json(String from) {
        try {
            JsonNode root = from.isBlank() ? JSON.createObjectNode() : JSON.readTree(from);
            if (!root.isObject()) {
                throw unreadable("it holds no object");
            }
            return root;
        } catch (JacksonException e) {
            throw unreadable(e.getOriginalMessage());
        }
    }

    private TomlParseResult toml(String from) {
        TomlParseResult result = Toml.parse(from);
        if (result.hasErrors()) {
            throw unreadable(String.valueOf(result.errors().getFirst().getMessage()));
        }
        return result;
    }

    /// The rest of a file, to compare.
    private JsonNode without(JsonNode root) {
        JsonNode copy = root.deepCopy();
        if (copy.get(client.section()) instanceof ObjectNode servers) {
            servers.remove(NAME);
            if (servers.isEmpty() && copy instanceof ObjectNode object) {
                object.remove(client.section());
            }
        }
        return copy;
    }

    private static SessionException unreadable(String why) {
        return SessionException.invalid("The file cannot be read: " + why + ". Correct it, or add the entry by hand.");
    }
}

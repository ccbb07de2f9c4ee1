package dev.belay.mcp;

import java.io.Serial;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/// A message that is wrong as a message: answered by an error of JSON-RPC, never by a result.
final class ProtocolException extends RuntimeException {
    static final int PARSE_ERROR = -32700;
    static final int INVALID_REQUEST = -32600;
    static final int METHOD_NOT_FOUND = -32601;
    static final int INVALID_PARAMS = -32602;
    static final int INTERNAL_ERROR = -32603;
    static final int HEADER_MISMATCH = -32020;
    static final int UNSUPPORTED_VERSION = -32022;

    @Serial
    private static final long serialVersionUID = 1;

    private final int code;
    private final transient @Nullable JsonNode data;

    ProtocolException(int code, String message) {
        this(code, message, null);
    }

    /// @param data what the error says to programs
    ProtocolException(int code, String message, @Nullable JsonNode data) {
        super(message, null, false, false);
        this.code = code;
        this.data = data;
    }

    static ProtocolException invalidParams(String message) {
        return new ProtocolException(INVALID_PARAMS, message);
    }

    int code() {
        return code;
    }

    @Nullable JsonNode data() {
        return data;
    }
}

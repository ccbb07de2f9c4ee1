package dev.belay.mcp;

import java.io.Serial;

/// A message that is wrong as a message: answered by an error of JSON-RPC, never by a result.
final class ProtocolException extends RuntimeException {
    static final int PARSE_ERROR = -32700;
    static final int INVALID_REQUEST = -32600;
    static final int METHOD_NOT_FOUND = -32601;
    static final int INVALID_PARAMS = -32602;
    static final int INTERNAL_ERROR = -32603;

    @Serial
    private static final long serialVersionUID = 1;

    private final int code;

    ProtocolException(int code, String message) {
        super(message, null, false, false);
        this.code = code;
    }

    static ProtocolException invalidParams(String message) {
        return new ProtocolException(INVALID_PARAMS, message);
    }

    int code() {
        return code;
    }
}

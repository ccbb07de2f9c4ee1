package dev.belay.server.wire;

import dev.belay.ErrorCode;
import dev.belay.Nearest;
import dev.belay.Quoted;
import dev.belay.SessionException;
import dev.belay.socketio.RequestBody;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.Fields;

/// What a request says in its query, and where it comes from.
public final class Requests {
    /// A body that is too large is read and dropped up to this many times the allowed size.
    private static final long DROPPED_TIMES = 4;

    private Requests() {}

    /// The address of the other side.
    public static InetAddress address(Request request) {
        return request.getConnectionMetaData().getRemoteSocketAddress() instanceof InetSocketAddress remote
                ? remote.getAddress()
                : InetAddress.getLoopbackAddress();
    }

    /// Refuses a query parameter that nobody reads: it was meant to do something and would not.
    public static void requireQuery(Request request, List<String> known) {
        for (String name : parameters(request).getNames()) {
            if (!known.contains(name)) {
                throw invalid("There is no query parameter " + Quoted.of(name) + " here" + Nearest.hint(name, known));
            }
        }
    }

    /// The value of a query parameter; one that is given twice is refused.
    public static Optional<String> query(Request request, String name) {
        Fields.Field field = parameters(request).get(name);
        if (field == null) {
            return Optional.empty();
        }
        if (field.getValues().size() == 1) {
            return Optional.of(field.getValue());
        }
        throw invalid("The query has " + Quoted.of(name) + " more than once.");
    }

    /// The value of a query parameter that is a whole number, not negative.
    public static Optional<Long> queryNumber(Request request, String name) {
        return query(request, name).map(text -> {
            if (!text.matches("\\d{1,18}")) {
                throw invalid(name + " must be a whole number, not " + Quoted.of(text) + ".");
            }
            return Long.parseLong(text);
        });
    }

    /// The value of a query parameter that is a switch: `1`, `true` or nothing for on, `0` or `false` for off.
    public static boolean queryFlag(Request request, String name) {
        return query(request, name).map(text -> switch (text) {
            case "true", "1", "" -> true;
            case "false", "0" -> false;
            default -> throw invalid(name + " must be true or false, not " + Quoted.of(text) + ".");
        }).orElse(false);
    }

    private static Fields parameters(Request request) {
        try {
            return Request.extractQueryParameters(request);
        } catch (RuntimeException _) {
            // Not UTF-8, or a percent sign that stands for nothing.
            throw invalid("The query of the address cannot be read.");
        }
    }

    /// The body, if it is not larger than given and arrives in time.
    public static byte[] body(Request request, int most, Duration timeout) {
        // A client that is still sending would be cut off before it reads the answer.
        RequestBody.Received body = RequestBody.read(request, most, DROPPED_TIMES * most, timeout).await();
        return switch (body.end()) {
            case WHOLE -> body.bytes();
            case TOO_LARGE -> throw tooLarge("body", most);
            case LATE -> throw new SessionException(
                    ErrorCode.TIMEOUT,
                    "The body of the request did not arrive within " + timeout.toMillis() + " ms; send it faster.");
            case BROKEN, GIVEN_UP -> throw invalid("The body of the request is incomplete or malformed.");
        };
    }

    /// Refuses a part of a request that is larger than allowed.
    public static SessionException tooLarge(String part, int most) {
        return new SessionException(
                ErrorCode.TOO_LARGE, "The " + part + " may have at most " + most + " bytes; send less.");
    }

    /// The answer may take long, although nothing moves on the connection.
    public static void mayTakeLong(Request request) {
        request.addIdleTimeoutListener(_ -> false);
    }

    public static SessionException invalid(String message) {
        return new SessionException(ErrorCode.INVALID_REQUEST, message);
    }
}

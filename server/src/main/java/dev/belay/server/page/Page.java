package dev.belay.server.page;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import dev.belay.console.Console;
import dev.belay.server.wire.HttpReplies;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/// Serves the files of the console. They are read when the first one is asked for.
public final class Page extends Handler.Abstract.NonBlocking {
    private static final class Loaded {
        static final Console CONSOLE = Console.load();

        private Loaded() {}
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        Console.Asset asset = Loaded.CONSOLE.at(Request.getPathInContext(request)).orElse(null);
        if (asset == null) {
            HttpReplies.error(request, response, callback,
                    new SessionException(ErrorCode.NOT_FOUND, "There is nothing here; see /api/openapi.yaml."));
        } else if (!request.getMethod().equals("GET") && !request.getMethod().equals("HEAD")) {
            HttpReplies.error(request, response, callback,
                    new SessionException(ErrorCode.INVALID_REQUEST, "This is a page; use GET."));
        } else {
            send(asset, request, response, callback);
        }
        return true;
    }

    private static void send(Console.Asset asset, Request request, Response response, Callback callback) {
        HttpFields.Mutable headers = response.getHeaders();
        String tag = "\"" + asset.tag() + "\"";
        headers.put(HttpHeader.ETAG, tag);
        headers.put(HttpHeader.VARY, "Accept-Encoding");
        headers.put(HttpHeader.CACHE_CONTROL, asset.lasting() ? "public, max-age=31536000, immutable" : "no-cache");
        if (request.getHeaders().getCSV(HttpHeader.IF_NONE_MATCH, true).contains(tag)) {
            response.setStatus(304);
            response.write(true, null, callback);
            return;
        }
        boolean packs = request.getHeaders().getQualityCSV(HttpHeader.ACCEPT_ENCODING).contains("gzip");
        byte[] body = packs ? asset.gzip().orElse(asset.bytes()) : asset.bytes();
        if (packs && asset.gzip().isPresent()) {
            headers.put(HttpHeader.CONTENT_ENCODING, "gzip");
        }
        HttpReplies.bytes(response, callback, 200, asset.type(), body);
    }
}

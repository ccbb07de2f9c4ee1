package dev.belay.server.page;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import dev.belay.server.rest.Replies;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/// The files of the page, from a fixed list: a path leads nowhere else.
public final class Page extends Handler.Abstract.NonBlocking {
    private record File(String name, String type) {}

    private static final Map<String, File> FILES = Map.of(
            "/", new File("index.html", "text/html; charset=utf-8"),
            "/page.js", new File("page.js", "text/javascript; charset=utf-8"),
            "/page.css", new File("page.css", "text/css; charset=utf-8"));

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws IOException {
        File file = FILES.get(Request.getPathInContext(request));
        byte[] bytes = file == null ? null : read(file);
        if (file == null || bytes == null) {
            Replies.error(request, response, callback,
                    new SessionException(ErrorCode.NOT_FOUND, "There is nothing here; see /api/openapi.yaml."));
        } else if (!request.getMethod().equals("GET") && !request.getMethod().equals("HEAD")) {
            Replies.error(request, response, callback,
                    new SessionException(ErrorCode.INVALID_REQUEST, "This is a page; get it."));
        } else {
            response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-cache");
            Replies.bytes(response, callback, 200, file.type(), bytes);
        }
        return true;
    }

    private static byte @Nullable [] read(File file) throws IOException {
        try (InputStream in = Page.class.getResourceAsStream("/dev/belay/server/page/" + file.name())) {
            return in == null ? null : in.readAllBytes();
        }
    }
}

package dev.belay.cli;

import dev.belay.SessionException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/// A REST client for requests that nobody waits for: the executor is given what comes of them, and a request can be
/// given up.
final class BackgroundRestClient implements AutoCloseable {
    private static final Duration CONNECT = Duration.ofSeconds(10);
    private static final Duration ANSWER = Duration.ofMinutes(1);

    private final RestClient client;
    private final Executor executor;
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(CONNECT).build();

    /// @param executor runs one thing at a time; questions are given up there, too
    BackgroundRestClient(RestClient client, Executor executor) {
        this.client = client;
        this.executor = executor;
    }

    /// A request on its way.
    static final class Question {
        private final CompletableFuture<HttpResponse<byte[]>> sent;
        private boolean over;

        private Question(CompletableFuture<HttpResponse<byte[]>> sent) {
            this.sent = sent;
        }

        /// Nobody needs the answer now, and nobody gets one. Also ends the request's connection.
        void giveUp() {
            over = true;
            sent.cancel(true);
        }
    }

    /// Asks the server.
    ///
    /// @param answered is given the object that the server sends
    /// @param failed   is given the reason if there is none
    Question ask(String method, String path, Consumer<ObjectNode> answered, Consumer<SessionException> failed) {
        HttpRequest request = HttpRequest.newBuilder(client.server().at(path))
                .header("Authorization", "Bearer " + client.token())
                .timeout(ANSWER)
                .method(method, HttpRequest.BodyPublishers.noBody())
                .build();
        Question question = new Question(http.sendAsync(request, HttpResponse.BodyHandlers.ofByteArray()));
        var _ = question.sent.handleAsync((answer, problem) -> {
            if (!question.over) {
                tell(answer, problem, answered, failed);
            }
            return null;
        }, executor);
        return question;
    }

    private void tell(@Nullable HttpResponse<byte[]> answer, @Nullable Throwable problem,
            Consumer<ObjectNode> answered, Consumer<SessionException> failed) {
        ObjectNode body;
        try {
            if (answer == null) {
                throw client.unreachable(cause(problem));
            }
            body = client.answer(answer.statusCode(), answer.body());
        } catch (SessionException e) {
            failed.accept(e);
            return;
        }
        answered.accept(body);
    }

    private static Throwable cause(@Nullable Throwable problem) {
        if (problem instanceof CompletionException && problem.getCause() != null) {
            return problem.getCause();
        }
        return problem == null ? new IllegalStateException("neither an answer nor a failure") : problem;
    }

    /// Gives up everything that is on its way.
    @Override
    public void close() {
        http.shutdownNow();
    }
}

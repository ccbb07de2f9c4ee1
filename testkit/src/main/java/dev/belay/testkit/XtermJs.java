package dev.belay.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// xterm.js headless 6 with its Unicode 11 addon, in node. It is given lines and answers with lines: see `oracle.js`
/// in the tests of the module `screen`, which also says where Belay differs on purpose. For one thread at a time.
public final class XtermJs implements AutoCloseable {
    private final Process node;
    private final Writer in;
    private final BufferedReader out;

    /// @param folder the folder of `oracle.js`, with its packages installed
    public XtermJs(Path folder) {
        assertThat(folder.resolve("node_modules")).as("run npm install in screen/src/test/xterm").isDirectory();
        try {
            node = new ProcessBuilder("node", "oracle.js").directory(folder.toFile())
                    .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        in = node.outputWriter(UTF_8);
        out = node.inputReader(UTF_8);
    }

    /// Sends lines and reads a number of lines.
    public List<String> say(String lines, int answers) {
        Thread sender = Thread.ofVirtual().start(() -> {
            try {
                in.write(lines);
                in.flush();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        try {
            List<String> heard = new ArrayList<>();
            for (int i = 0; i < answers; i++) {
                String line = out.readLine();
                if (line == null) {
                    throw new IllegalStateException("node has ended; its words are above");
                }
                heard.add(line);
            }
            sender.join();
            return heard;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        try {
            in.close();
            node.waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            node.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}

package dev.belay.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.server.settings.ServerSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.X509Certificate;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.Test;

/// A certificate that is renewed while the server runs.
class TlsTest extends WithServer {
    @Override
    ServerSettings settings() {
        make("first", folder);
        return super.settings().binding(new ServerSettings.Binding(
                "127.0.0.1", 0, new ServerSettings.Tls(folder.resolve("cert.pem"), folder.resolve("key.pem"))));
    }

    private static void make(String name, Path folder) {
        try {
            Process openssl = new ProcessBuilder(
                    "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                    "-keyout", "key.pem", "-out", "cert.pem", "-subj", "/CN=" + name, "-days", "2")
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            assertThat(openssl.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(openssl.exitValue()).isZero();
        } catch (java.io.IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /// Whom the server shows itself as.
    private String shown() throws Exception {
        SSLContext anybody = SSLContext.getInstance("TLS");
        anybody.init(null, new TrustManager[] {new Anybody()}, null);
        try (SSLSocket socket = (SSLSocket) anybody.getSocketFactory().createSocket("127.0.0.1", server.port())) {
            socket.setSoTimeout(60_000);
            socket.startHandshake();
            return ((X509Certificate) socket.getSession().getPeerCertificates()[0]).getSubjectX500Principal().getName();
        }
    }

    /// Trusts everybody: what is looked at is who it is.
    private static final class Anybody implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }

    @Test
    void itIsUsedOnceItsKeyIsThereTooAndTheOldOneUntilThen() throws Exception {
        assertThat(shown()).isEqualTo("CN=first");
        Path renewed = Files.createDirectory(folder.resolve("renewed"));
        make("second", renewed);
        // A certificate whose key is still another's: a look at it by force changes nothing.
        Files.move(renewed.resolve("cert.pem"), folder.resolve("cert.pem"), StandardCopyOption.REPLACE_EXISTING);
        server.reload(server.settings());
        assertThat(shown()).isEqualTo("CN=first");
        Files.move(renewed.resolve("key.pem"), folder.resolve("key.pem"), StandardCopyOption.REPLACE_EXISTING);
        while (!shown().equals("CN=second")) {
            LockSupport.parkNanos(20_000_000);
        }
    }
}

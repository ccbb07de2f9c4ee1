package dev.belay.server.guard;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import dev.belay.server.ServerSettings.Tls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.eclipse.jetty.util.ssl.SslContextFactory;

/// A certificate and its key from PEM files, read again on demand. What cannot be read leaves what there was in use.
public final class TlsFiles {
    private static final System.Logger LOG = System.getLogger("dev.belay.server");
    private static final char[] NO_PASSWORD = new char[0];

    private final Tls files;
    private final SslContextFactory.Server factory = new SslContextFactory.Server();

    public TlsFiles(Tls files) {
        this.files = files;
        factory.setKeyStore(read());
        factory.setKeyStorePassword("");
        factory.setSniRequired(false);
    }

    public SslContextFactory.Server factory() {
        return factory;
    }

    /// Takes what is in the files now for new connections.
    public void reload() {
        try {
            KeyStore now = read();
            factory.reload(same -> same.setKeyStore(now));
        } catch (Exception e) {
            LOG.log(System.Logger.Level.WARNING, "the certificate was not read again, the old one is used", e);
        }
    }

    private KeyStore read() {
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setKeyEntry("belay", key(), NO_PASSWORD, chain());
            return store;
        } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
            throw new SessionException(
                    ErrorCode.INVALID_REQUEST,
                    "The certificate " + files.certificate() + " and its key " + files.key() + " cannot be used: " + e,
                    Map.of(),
                    e);
        }
    }

    private Certificate[] chain() throws IOException, GeneralSecurityException {
        byte[] pem = Files.readAllBytes(files.certificate());
        return CertificateFactory.getInstance("X.509")
                .generateCertificates(new ByteArrayInputStream(pem))
                .toArray(Certificate[]::new);
    }

    private PrivateKey key() throws IOException, GeneralSecurityException {
        byte[] der = der(files.key());
        GeneralSecurityException last = new GeneralSecurityException("no key is known to be of that kind");
        for (String algorithm : List.of("EC", "RSA", "EdDSA")) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(der));
            } catch (GeneralSecurityException e) {
                last = e;
            }
        }
        throw last;
    }

    private static byte[] der(Path file) throws IOException, GeneralSecurityException {
        String pem = Files.readString(file, StandardCharsets.US_ASCII);
        String begin = "-----BEGIN PRIVATE KEY-----";
        int from = pem.indexOf(begin);
        int to = pem.indexOf("-----END PRIVATE KEY-----");
        if (from < 0 || to < from) {
            throw new GeneralSecurityException("no PKCS#8 key in it (BEGIN PRIVATE KEY): openssl pkcs8 -topk8 -nodes");
        }
        return Base64.getMimeDecoder().decode(pem.substring(from + begin.length(), to).strip());
    }
}

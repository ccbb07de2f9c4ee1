package dev.belay.server.guard;

import static java.nio.file.StandardWatchEventKinds.ENTRY_CREATE;
import static java.nio.file.StandardWatchEventKinds.ENTRY_DELETE;
import static java.nio.file.StandardWatchEventKinds.ENTRY_MODIFY;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import dev.belay.server.settings.ServerSettings.Tls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.eclipse.jetty.util.IO;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.jspecify.annotations.Nullable;

/// A certificate and its key from PEM files, read again when they change. If the files cannot be used, for example
/// because the new key has not been written yet, the old ones stay in use.
///
/// Between [#watch()] and [#close()] a virtual thread waits for changes in the folders of the files: they may be
/// written in place, moved there, or be links that now lead elsewhere.
public final class TlsFiles implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.belay.server");
    private static final char[] NO_PASSWORD = new char[0];
    private static final byte[] PROBE = "belay".getBytes(StandardCharsets.US_ASCII);

    private final Tls files;
    private final SslContextFactory.Server factory = new SslContextFactory.Server();
    private @Nullable WatchService watcher;
    private List<Certificate> used = List.of();

    public TlsFiles(Tls files) {
        this.files = files;
        factory.setKeyStore(read());
        factory.setKeyStorePassword("");
        factory.setSniRequired(false);
    }

    public SslContextFactory.Server factory() {
        return factory;
    }

    /// Begins to look for changes.
    public void watch() {
        try {
            WatchService service = FileSystems.getDefault().newWatchService();
            watcher = service;
            for (Path folder : new TreeSet<>(List.of(folder(files.certificate()), folder(files.key())))) {
                folder.register(service, ENTRY_CREATE, ENTRY_MODIFY, ENTRY_DELETE);
            }
            Thread.ofVirtual().name("belay-tls").start(() -> follow(service));
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "a changed certificate will be read on SIGHUP only", e);
        }
    }

    private static Path folder(Path file) {
        Path folder = file.toAbsolutePath().getParent();
        return folder == null ? file.toAbsolutePath() : folder;
    }

    private void follow(WatchService service) {
        try {
            while (true) {
                WatchKey changed = service.take();
                changed.pollEvents();
                changed.reset();
                reload();
            }
        } catch (ClosedWatchServiceException _) {
            // The server stops.
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /// Uses the current files for new connections, if they have changed.
    public synchronized void reload() {
        try {
            List<Certificate> before = used;
            KeyStore now = read();
            if (!used.equals(before)) {
                factory.reload(same -> same.setKeyStore(now));
            }
        } catch (Exception e) {
            LOG.log(System.Logger.Level.WARNING, "the certificate was not read again, the old one is used", e);
        }
    }

    @Override
    public void close() {
        IO.close(watcher);
    }

    private KeyStore read() {
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            PrivateKey key = key();
            Certificate[] chain = chain();
            requirePair(key, chain[0]);
            store.setKeyEntry("belay", key, NO_PASSWORD, chain);
            used = List.of(chain);
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
        Certificate[] chain = CertificateFactory.getInstance("X.509")
                .generateCertificates(new ByteArrayInputStream(pem))
                .toArray(Certificate[]::new);
        if (chain.length == 0) {
            throw new GeneralSecurityException("no certificate in it (BEGIN CERTIFICATE)");
        }
        return chain;
    }

    /// What the key signs, the certificate has to confirm.
    private static void requirePair(PrivateKey key, Certificate certificate) throws GeneralSecurityException {
        String algorithm = switch (key.getAlgorithm()) {
            case "EC" -> "SHA256withECDSA";
            case "RSA" -> "SHA256withRSA";
            default -> key.getAlgorithm();
        };
        Signature signature = Signature.getInstance(algorithm);
        signature.initSign(key);
        signature.update(PROBE);
        byte[] signed = signature.sign();
        signature.initVerify(certificate);
        signature.update(PROBE);
        if (!signature.verify(signed)) {
            throw new GeneralSecurityException("the key does not belong to the certificate");
        }
    }

    private PrivateKey key() throws IOException, GeneralSecurityException {
        byte[] der = der(files.key());
        GeneralSecurityException last = new GeneralSecurityException("unknown kind of key");
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

package io.waybill.spring.internal.broker;

import io.waybill.spring.internal.start.StartFailure;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;

/** Converts an SSL bundle of Spring Boot to settings of Kafka's clients, which read certificates and keys as PEM. */
final class PemSettings {
    private PemSettings() {}

    static Map<String, String> of(SslBundle bundle) {
        Map<String, String> settings = new LinkedHashMap<>();
        try {
            KeyStore trusted = bundle.getStores().getTrustStore();
            if (trusted != null) {
                settings.put("ssl.truststore.type", "PEM");
                settings.put("ssl.truststore.certificates", certificates(trusted));
            }
            KeyStore keys = bundle.getStores().getKeyStore();
            String alias = keys == null ? null : alias(keys, bundle.getKey().getAlias());
            if (keys != null && alias != null) {
                String password = bundle.getKey().getPassword();
                String given = password == null ? bundle.getStores().getKeyStorePassword() : password;
                Key key = keys.getKey(alias, given == null ? new char[0] : given.toCharArray());
                settings.put("ssl.keystore.type", "PEM");
                settings.put("ssl.keystore.key", pem("PRIVATE KEY", key.getEncoded()));
                settings.put("ssl.keystore.certificate.chain", chain(keys.getCertificateChain(alias)));
            }
        } catch (GeneralSecurityException e) {
            throw new StartFailure(
                    "The SSL bundle of spring.kafka cannot be read: " + e.getMessage(),
                    "Check its stores, and the password of its key.");
        }
        settings.put("ssl.protocol", bundle.getProtocol());
        String[] protocols = bundle.getOptions().getEnabledProtocols();
        if (protocols != null) {
            settings.put("ssl.enabled.protocols", String.join(",", protocols));
        }
        String[] ciphers = bundle.getOptions().getCiphers();
        if (ciphers != null) {
            settings.put("ssl.cipher.suites", String.join(",", ciphers));
        }
        return settings;
    }

    private static @Nullable String alias(KeyStore keys, @Nullable String named) throws GeneralSecurityException {
        if (named != null) {
            return named;
        }
        for (String alias : Collections.list(keys.aliases())) {
            if (keys.isKeyEntry(alias)) {
                return alias;
            }
        }
        return null;
    }

    private static String certificates(KeyStore trusted) throws GeneralSecurityException {
        StringBuilder text = new StringBuilder();
        for (String alias : Collections.list(trusted.aliases())) {
            text.append(pem("CERTIFICATE", trusted.getCertificate(alias).getEncoded()));
        }
        return text.toString();
    }

    private static String chain(Certificate[] chain) throws GeneralSecurityException {
        StringBuilder text = new StringBuilder();
        for (Certificate certificate : chain) {
            text.append(pem("CERTIFICATE", certificate.getEncoded()));
        }
        return text.toString();
    }

    private static String pem(String what, byte[] bytes) {
        String lines = Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                .encodeToString(bytes);
        return "-----BEGIN " + what + "-----\n" + lines + "\n-----END " + what + "-----\n";
    }
}

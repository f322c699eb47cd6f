package io.waybill.server.http;

import com.nimbusds.jose.JWSAlgorithm;
import io.waybill.server.config.Configuration;
import io.waybill.server.config.Setting;
import io.waybill.server.config.Settings;
import io.waybill.server.config.SignIn;
import io.waybill.server.http.access.TokenAccess.TokenRules;
import io.waybill.server.http.access.UsersFile;
import io.waybill.server.http.api.Mask;
import io.waybill.server.http.request.Mode;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.net.InetAddress;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The settings of the HTTP server: its addresses, its sign-in, and what it allows.
 *
 * @param port 0 for 8080, or any free port if 8080 is in use
 * @param hostNames names in addition to those of the loopback interface
 * @param tokens empty unless users sign in with a token
 * @param probePort 0 for none
 * @param instance the name of this instance
 */
public record HttpOptions(
        String host,
        int port,
        List<String> hostNames,
        boolean behindProxy,
        Optional<TlsFiles> tls,
        SignIn signIn,
        Path users,
        Duration sessionIdle,
        Duration sessionLimit,
        Optional<TokenRules> tokens,
        int probePort,
        String probeHost,
        String instance,
        Mode mode,
        Mask mask) {
    private static final Pattern LOOPBACK = Pattern.compile("localhost|127(\\.\\d{1,3}){3}|\\[?::1]?");
    private static final Pattern EVERY_ADDRESS = Pattern.compile("0\\.0\\.0\\.0|\\[?::]?");
    private static final Pattern ALGORITHM = Pattern.compile("(RS|PS|ES)(256|384|512)");

    /**
     * Reads the settings.
     *
     * @throws Problem if the server would be open to other machines without sign-in or without encryption
     */
    public static HttpOptions of(Configuration configuration) {
        String host = configuration.get(Settings.HTTP_HOST);
        SignIn signIn = configuration.get(Settings.HTTP_SIGN_IN);
        List<String> names = new ArrayList<>(configuration
                .find(Settings.HTTP_HOST_NAMES)
                .map(HttpOptions::list)
                .orElse(List.of()));
        Optional<TlsFiles> tls = tls(configuration);
        boolean proxy = configuration.get(Settings.HTTP_BEHIND_PROXY);
        boolean local = LOOPBACK.matcher(host).matches();
        requireSafe(host, local, signIn, tls.isPresent(), proxy);
        if (!local) {
            if (names.isEmpty() && EVERY_ADDRESS.matcher(host).matches()) {
                throw Problem.usage("http.host " + host + " also needs http.host-names: the names under which browsers"
                        + " and programs reach this server, separated by commas.");
            }
            names.add(host.contains(":") && !host.startsWith("[") ? "[" + host + "]" : host);
        }
        return new HttpOptions(
                host,
                configuration.get(Settings.HTTP_PORT),
                List.copyOf(names),
                proxy,
                tls,
                signIn,
                configuration.workingFolder().resolve(configuration.get(Settings.HTTP_USERS)),
                configuration.get(Settings.HTTP_SESSION_IDLE),
                configuration.get(Settings.HTTP_SESSION_LIMIT),
                signIn == SignIn.TOKEN ? Optional.of(tokens(configuration)) : Optional.empty(),
                configuration.get(Settings.HTTP_PROBE_PORT),
                configuration.find(Settings.HTTP_PROBE_HOST).orElse(host),
                configuration.find(Settings.CONSOLE_NAME).orElseGet(HttpOptions::hostName),
                new Mode(configuration.get(Settings.CONSOLE_READ_ONLY), configuration.get(Settings.CONSOLE_EDIT)),
                mask(configuration));
    }

    private static void requireSafe(String host, boolean local, SignIn signIn, boolean tls, boolean proxy) {
        if (proxy && signIn == SignIn.NONE) {
            throw Problem.usage("http.behind-proxy needs a sign-in: the proxy makes this server reachable from other"
                    + " machines. Set http.sign-in to password or token.");
        }
        if (local) {
            return;
        }
        List<String> missing = new ArrayList<>();
        if (signIn == SignIn.NONE) {
            missing.add("authentication: set http.sign-in to password or token");
        }
        if (!tls && !proxy) {
            missing.add("encryption: set http.tls-certificate and http.tls-key, or http.behind-proxy if a proxy"
                    + " encrypts the connections");
        }
        if (!missing.isEmpty()) {
            throw Problem.usage("http.host '" + host + "' is not a loopback address. Listening there needs "
                    + String.join("; and ", missing) + ". Or use 127.0.0.1, ::1 or localhost.");
        }
    }

    private static Optional<TlsFiles> tls(Configuration configuration) {
        Path folder = configuration.workingFolder();
        Optional<Path> key = configuration.find(Settings.HTTP_TLS_KEY).map(folder::resolve);
        Optional<Path> certificate =
                configuration.find(Settings.HTTP_TLS_CERTIFICATE).map(folder::resolve);
        if (certificate.isEmpty() && key.isPresent()) {
            throw Problem.usage("http.tls-key needs http.tls-certificate.");
        }
        return certificate.map(
                path -> new TlsFiles(path, key.orElse(null), configuration.find(Settings.HTTP_TLS_PASSWORD)));
    }

    private static TokenRules tokens(Configuration configuration) {
        Set<JWSAlgorithm> algorithms = new LinkedHashSet<>();
        for (String name : list(configuration.get(Settings.HTTP_TOKEN_ALGORITHMS))) {
            if (!ALGORITHM.matcher(name).matches()) {
                throw Problem.usage("http.token-algorithms contains '" + name
                        + "'. Accepted are RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384 and ES512.");
            }
            algorithms.add(JWSAlgorithm.parse(name));
        }
        return new TokenRules(
                keys(required(configuration, Settings.HTTP_TOKEN_KEYS)),
                required(configuration, Settings.HTTP_TOKEN_ISSUER),
                required(configuration, Settings.HTTP_TOKEN_AUDIENCE),
                algorithms,
                configuration.get(Settings.HTTP_TOKEN_USER),
                configuration.get(Settings.HTTP_TOKEN_ROLES));
    }

    private static String required(Configuration configuration, Setting<String> setting) {
        return configuration
                .find(setting)
                .orElseThrow(() -> Problem.usage("http.sign-in: token needs " + setting.key() + "."));
    }

    /** Requires https, or loopback. On an unencrypted connection, an attacker could replace the keys. */
    private static URL keys(String text) {
        try {
            URI uri = URI.create(text);
            boolean encrypted = "https".equals(uri.getScheme());
            boolean near = "http".equals(uri.getScheme())
                    && uri.getHost() != null
                    && LOOPBACK.matcher(uri.getHost()).matches();
            if (encrypted || near) {
                return uri.toURL();
            }
        } catch (IllegalArgumentException | MalformedURLException e) {
            throw new Problem(Exit.USAGE, "http.token-keys is not a URL: " + e.getMessage() + ".", e);
        }
        throw Problem.usage("http.token-keys must be a URL with https, or with http on the loopback interface.");
    }

    private static Mask mask(Configuration configuration) {
        return Mask.of(
                configuration.find(Settings.CONSOLE_MASK).map(HttpOptions::list).orElse(List.of()));
    }

    private static List<String> list(String text) {
        return Stream.of(text.split(",", -1))
                .map(String::strip)
                .filter(part -> !part.isEmpty())
                .toList();
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "waybill";
        }
    }

    /**
     * Creates the users file with one user if users sign in with a password and there is no file.
     *
     * @return a text with the password of that user, which is shown this once; empty if nothing was created
     */
    public Optional<String> createUsers() {
        if (signIn != SignIn.PASSWORD) {
            return Optional.empty();
        }
        return new UsersFile(users)
                .createIfMissing()
                .map(password -> "Created the users file " + users + ". Sign in as admin with the password " + password
                        + " and change it with `waybill users password admin`. It is not shown again.");
    }

    /** Whether browsers reach this server through TLS. */
    boolean encrypted() {
        return tls.isPresent() || behindProxy;
    }

    HttpOptions onPort(int another) {
        return new HttpOptions(
                host,
                another,
                hostNames,
                behindProxy,
                tls,
                signIn,
                users,
                sessionIdle,
                sessionLimit,
                tokens,
                probePort,
                probeHost,
                instance,
                mode,
                mask);
    }
}

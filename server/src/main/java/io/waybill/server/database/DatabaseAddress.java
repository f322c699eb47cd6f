package io.waybill.server.database;

import io.waybill.jdbc.DatabaseProduct;
import io.waybill.server.Problem;
import io.waybill.server.config.Secrets;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;
import org.postgresql.PGProperty;

/**
 * Where a database is and who connects.
 *
 * @param place host, port and name, for people; holds no secret
 */
public record DatabaseAddress(
        DatabaseProduct product,
        String jdbcUrl,
        @Nullable String user,
        @Nullable String password,
        String place) {
    private static final Pattern SCHEME = Pattern.compile("(?:jdbc:)?([a-z0-9]+):.*", Pattern.DOTALL);
    private static final Pattern RELATIVE_FILE = Pattern.compile("jdbc:h2:(?:file:)?(\\.[^;]*)(;.*|)", Pattern.DOTALL);
    private static final Pattern LOGIN = Pattern.compile("[?&;](user|password)=([^&;]*)", Pattern.CASE_INSENSITIVE);

    /** Reads JDBC addresses and such as {@code postgresql://…}; user and password given apart win. */
    public static DatabaseAddress parse(String url, @Nullable String user, @Nullable String password) {
        return switch (product(url)) {
            case POSTGRESQL -> url.startsWith("jdbc:") ? postgres(url, user, password) : fromUri(url, user, password);
            case MARIADB -> other(DatabaseProduct.MARIADB, withJdbc(url), user, password);
            // MariaDB's driver, which comes along, speaks to both.
            case MYSQL ->
                other(DatabaseProduct.MYSQL, withJdbc(url).replaceFirst("mysql:", "mariadb:"), user, password);
            case H2 -> other(DatabaseProduct.H2, wherever(withJdbc(url)), user, password);
        };
    }

    private static DatabaseProduct product(String url) {
        Matcher scheme = SCHEME.matcher(url);
        String name = scheme.matches() ? scheme.group(1) : "";
        return DatabaseProduct.of(name.equals("postgres") ? "postgresql" : name)
                .orElseThrow(() -> Problem.usage("Cannot use database '" + Secrets.mask(url)
                        + "'. Known are jdbc:postgresql://host:port/name, jdbc:mariadb://host:port/name,"
                        + " jdbc:mysql://host:port/name and jdbc:h2:./file."));
    }

    private static String withJdbc(String url) {
        return url.startsWith("jdbc:") ? url : "jdbc:" + url;
    }

    /** Another command, in another folder, must find the same file. */
    private static String wherever(String url) {
        Matcher file = RELATIVE_FILE.matcher(url);
        return file.matches()
                ? "jdbc:h2:" + Path.of(file.group(1)).toAbsolutePath().normalize() + file.group(2)
                : url;
    }

    /** What stands before the first parameter is the place. */
    private static DatabaseAddress other(
            DatabaseProduct product, String url, @Nullable String user, @Nullable String password) {
        String foundUser = user;
        String foundPassword = password;
        Matcher login = LOGIN.matcher(url);
        while (login.find()) {
            if (login.group(1).toLowerCase(Locale.ROOT).equals("user")) {
                foundUser = foundUser == null ? login.group(2) : foundUser;
            } else {
                foundPassword = foundPassword == null ? login.group(2) : foundPassword;
            }
        }
        String place = url.replaceFirst("^jdbc:(mariadb://|h2:)", "").replaceFirst("[?;].*", "");
        return new DatabaseAddress(product, url, foundUser, foundPassword, place);
    }

    private static DatabaseAddress postgres(String url, @Nullable String user, @Nullable String password) {
        Properties parts = parts(url);
        String place = PGProperty.PG_HOST.getOrDefault(parts) + ":" + PGProperty.PG_PORT.getOrDefault(parts) + "/"
                + PGProperty.PG_DBNAME.getOrDefault(parts);
        return new DatabaseAddress(
                DatabaseProduct.POSTGRESQL,
                url,
                user != null ? user : PGProperty.USER.getOrDefault(parts),
                password != null ? password : PGProperty.PASSWORD.getOrDefault(parts),
                place);
    }

    private static Properties parts(String url) {
        Properties parts = Driver.parseURL(url, null);
        if (parts == null) {
            throw Problem.usage("Cannot read the database address '" + Secrets.mask(url)
                    + "'. Write jdbc:postgresql://host:port/name.");
        }
        return parts;
    }

    private static DatabaseAddress fromUri(String url, @Nullable String user, @Nullable String password) {
        URI uri;
        try {
            uri = new URI(url);
        } catch (URISyntaxException e) {
            throw Problem.usage("Cannot read the database address '" + Secrets.mask(url) + "'. Special characters in a"
                    + " password must be percent-encoded; or use database.password.");
        }
        String authority = uri.getRawAuthority() == null ? "" : uri.getRawAuthority();
        String hosts = authority.substring(authority.lastIndexOf('@') + 1);
        String query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
        String[] login =
                uri.getUserInfo() == null ? new String[0] : uri.getUserInfo().split(":", 2);
        return postgres(
                "jdbc:postgresql://" + hosts + uri.getRawPath() + query,
                user != null || login.length < 1 ? user : login[0],
                password != null || login.length < 2 ? password : login[1]);
    }

    @Override
    public String toString() {
        return place;
    }
}

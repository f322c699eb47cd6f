package io.waybill.server.database;

import io.waybill.server.Problem;
import io.waybill.server.config.Secrets;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;
import org.postgresql.PGProperty;

/**
 * Where a database is and who connects.
 *
 * @param place host, port and name, for people; holds no secret
 */
public record DatabaseAddress(
        String jdbcUrl, @Nullable String user, @Nullable String password, String place) {

    /** Reads {@code jdbc:postgresql:} and {@code postgresql:} addresses; user and password given apart win. */
    public static DatabaseAddress parse(String url, @Nullable String user, @Nullable String password) {
        if (url.startsWith("postgresql://") || url.startsWith("postgres://")) {
            return fromUri(url, user, password);
        }
        if (!url.startsWith("jdbc:postgresql:")) {
            throw Problem.usage("Cannot use database '" + Secrets.mask(url)
                    + "': this version knows PostgreSQL only. Write jdbc:postgresql://host:port/name.");
        }
        Properties parts = parts(url);
        String place = PGProperty.PG_HOST.getOrDefault(parts) + ":" + PGProperty.PG_PORT.getOrDefault(parts) + "/"
                + PGProperty.PG_DBNAME.getOrDefault(parts);
        return new DatabaseAddress(
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
        return parse(
                "jdbc:postgresql://" + hosts + uri.getRawPath() + query,
                user != null || login.length < 1 ? user : login[0],
                password != null || login.length < 2 ? password : login[1]);
    }

    @Override
    public String toString() {
        return place;
    }
}

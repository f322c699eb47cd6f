package io.waybill.server.database.jdbc;

import io.waybill.internal.Secrets;
import io.waybill.jdbc.DatabaseProduct;
import io.waybill.server.database.DatabaseAddress;
import io.waybill.server.problem.Problem;
import java.net.URI;
import java.net.URISyntaxException;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;
import org.postgresql.PGProperty;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** PostgreSQL, with JDBC URLs and the URIs that psql accepts. */
public final class PostgresAccess extends JdbcAccess {
    @Override
    DatabaseProduct product() {
        return DatabaseProduct.POSTGRESQL;
    }

    @Override
    public Set<String> schemes() {
        return Set.of("postgresql", "postgres");
    }

    @Override
    public String example() {
        return "jdbc:postgresql://host:port/name";
    }

    @Override
    public DatabaseAddress address(String url, @Nullable String user, @Nullable String password) {
        return url.startsWith("jdbc:") ? fromJdbc(url, user, password) : fromUri(url, user, password);
    }

    private DatabaseAddress fromJdbc(String url, @Nullable String user, @Nullable String password) {
        Properties parts = parts(url);
        String place = PGProperty.PG_HOST.getOrDefault(parts) + ":" + PGProperty.PG_PORT.getOrDefault(parts) + "/"
                + PGProperty.PG_DBNAME.getOrDefault(parts);
        return new DatabaseAddress(
                this,
                url,
                user != null ? user : PGProperty.USER.getOrDefault(parts),
                password != null ? password : PGProperty.PASSWORD.getOrDefault(parts),
                place);
    }

    private Properties parts(String url) {
        Properties parts = Driver.parseURL(url, null);
        if (parts == null) {
            throw Problem.usage(
                    "Cannot read the database address '" + Secrets.mask(url) + "'. Write " + example() + ".");
        }
        return parts;
    }

    private DatabaseAddress fromUri(String url, @Nullable String user, @Nullable String password) {
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
        return fromJdbc(
                "jdbc:postgresql://" + hosts + uri.getRawPath() + query,
                user != null || login.length < 1 ? user : login[0],
                password != null || login.length < 2 ? password : login[1]);
    }

    @Override
    DataSource connect(DatabaseAddress address, ConnectionOptions options) throws SQLException {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(address.url());
        if (address.user() != null) {
            source.setUser(address.user());
        }
        if (address.password() != null) {
            source.setPassword(address.password());
        }
        unlessGiven(source, address, PGProperty.APPLICATION_NAME, "waybill");
        unlessGiven(source, address, PGProperty.CONNECT_TIMEOUT, Integer.toString(options.connectSeconds()));
        unlessGiven(source, address, PGProperty.LOGIN_TIMEOUT, Integer.toString(options.connectSeconds()));
        unlessGiven(source, address, PGProperty.SOCKET_TIMEOUT, Integer.toString(options.answerSeconds()));
        unlessGiven(source, address, PGProperty.TCP_KEEP_ALIVE, "true");
        if (options.schema() != null) {
            unlessGiven(source, address, PGProperty.CURRENT_SCHEMA, options.schema());
        }
        return source;
    }

    private static void unlessGiven(
            PGSimpleDataSource source, DatabaseAddress address, PGProperty property, String value) throws SQLException {
        if (!address.url().contains(property.getName() + "=")) {
            source.setProperty(property, value);
        }
    }

    @Override
    ServerCheck check() {
        return new PostgresCheck();
    }

    @Override
    Optional<String> sqlShell(DatabaseAddress address) {
        String user = address.user() == null ? "" : address.user() + "@";
        return Optional.of(
                "psql 'postgresql://" + user + address.place() + "' -c " + exampleInsert("gen_random_uuid()"));
    }

    @Override
    String serverMessage(SQLException e) {
        ServerErrorMessage server = e instanceof PSQLException psql ? psql.getServerErrorMessage() : null;
        return server != null && server.getMessage() != null ? server.getMessage() : super.serverMessage(e);
    }

    @Override
    String loginRemedy() {
        return "Create the role, or correct database.user or pg_hba.conf.";
    }
}

package io.waybill.server.database.jdbc;

import io.waybill.jdbc.DatabaseProduct;
import io.waybill.server.database.DatabaseAddress;
import java.sql.SQLException;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.mariadb.jdbc.Configuration;
import org.mariadb.jdbc.HostAddress;
import org.mariadb.jdbc.MariaDbDataSource;
import org.mariadb.jdbc.export.SslMode;

public class MariaDbAccess extends JdbcAccess {
    @Override
    DatabaseProduct product() {
        return DatabaseProduct.MARIADB;
    }

    @Override
    public String example() {
        return "jdbc:mariadb://host:port/name";
    }

    @Override
    public DatabaseAddress address(String url, @Nullable String user, @Nullable String password) {
        return read(url, user, password);
    }

    @Override
    DataSource connect(DatabaseAddress address, ConnectionOptions options) throws SQLException {
        String limited = unlessGiven(address.url(), "sessionVariables", session());
        String url = unlessGiven(limited, "connectTimeout", options.connectSeconds() * 1_000);
        MariaDbDataSource source =
                new MariaDbDataSource(unlessGiven(url, "socketTimeout", options.answerSeconds() * 1_000));
        if (address.user() != null) {
            source.setUser(address.user());
        }
        if (address.password() != null) {
            source.setPassword(address.password());
        }
        return source;
    }

    @Override
    boolean autoCommit() {
        return false;
    }

    /** Ends the transactions of a suspended process. Without it, the store sets the limit for each claim, which costs two round trips. */
    String session() {
        return "idle_transaction_timeout=10";
    }

    private static String unlessGiven(String url, String name, int value) {
        return unlessGiven(url, name, Integer.toString(value));
    }

    private static String unlessGiven(String url, String name, String value) {
        return value.isEmpty() || url.contains(name + "=")
                ? url
                : url + (url.contains("?") ? "&" : "?") + name + "=" + value;
    }

    @Override
    ServerCheck check() {
        return new MariaDbCheck();
    }

    @Override
    Optional<String> sqlShell(DatabaseAddress address) {
        try {
            Configuration parts = Configuration.parse(address.url());
            HostAddress host = parts.addresses().get(0);
            return Optional.of(client() + " --host " + host.host + " --port " + host.port
                    + (address.user() == null ? "" : " --user " + address.user())
                    + (address.password() == null ? "" : " --password")
                    + (parts.sslMode() == SslMode.DISABLE ? " " + withoutTls() : "")
                    + " " + parts.database() + " --execute " + exampleInsert("uuid()"));
        } catch (SQLException e) {
            return Optional.empty();
        }
    }

    String client() {
        return "mariadb";
    }

    String withoutTls() {
        return "--skip-ssl";
    }
}

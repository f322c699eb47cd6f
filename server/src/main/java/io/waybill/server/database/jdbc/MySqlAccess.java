package io.waybill.server.database.jdbc;

import io.waybill.jdbc.DatabaseProduct;
import io.waybill.server.database.DatabaseAddress;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** MySQL, through the MariaDB driver, which supports both. */
public final class MySqlAccess extends MariaDbAccess {
    @Override
    DatabaseProduct product() {
        return DatabaseProduct.MYSQL;
    }

    @Override
    public String example() {
        return "jdbc:mysql://host:port/name";
    }

    @Override
    public DatabaseAddress address(String url, @Nullable String user, @Nullable String password) {
        return super.address(url.replaceFirst("mysql:", "mariadb:"), user, password);
    }

    @Override
    String client() {
        return "mysql";
    }

    @Override
    String withoutTls() {
        return "--ssl-mode=DISABLED";
    }

    /** MySQL's limit also ends sessions outside of transactions, so the store sets it for each transaction. */
    @Override
    String session() {
        return "";
    }

    /** Replaces the driver's message about the RSA public key, because few users can set the option that it names. */
    @Override
    String serverMessage(SQLException e) {
        String message = super.serverMessage(e);
        return message.contains("RSA public key")
                ? "MySQL takes a password only over TLS or encrypted with its public key. Add sslMode=verify-full to"
                        + " --database, or allowPublicKeyRetrieval=true in a network that you trust"
                : message;
    }
}

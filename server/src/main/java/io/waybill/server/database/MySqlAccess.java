package io.waybill.server.database;

import io.waybill.jdbc.DatabaseProduct;
import org.jspecify.annotations.Nullable;

/** MySQL, through the MariaDB driver, which supports both. */
final class MySqlAccess extends MariaDbAccess {
    @Override
    public DatabaseProduct product() {
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

    /** MySQL cannot limit the idle time of a transaction. */
    @Override
    String session() {
        return "";
    }
}

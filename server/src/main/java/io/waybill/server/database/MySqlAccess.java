package io.waybill.server.database;

import io.waybill.jdbc.DatabaseProduct;
import org.jspecify.annotations.Nullable;

/** MySQL, by way of MariaDB's driver, which comes along and speaks to both. */
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

    /** It has no such limit. */
    @Override
    String session() {
        return "";
    }
}

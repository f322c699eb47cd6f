package io.waybill.jdbc;

import io.waybill.WaybillException;
import io.waybill.store.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** The databases that Waybill's tables can live in. */
public enum DatabaseProduct {
    POSTGRESQL("PostgreSQL"),
    MARIADB("MariaDB"),
    /** Served as MariaDB is. */
    MYSQL("MySQL"),
    H2("H2");

    private final String title;

    DatabaseProduct(String title) {
        this.title = title;
    }

    /** The name that people know it by. */
    public String title() {
        return title;
    }

    /** The name in addresses and commands. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** What it can keep an outbox with, the usual one first. */
    public List<Engine> engines() {
        return this == POSTGRESQL ? List.of(Engine.JOURNAL, Engine.QUEUE) : List.of(Engine.QUEUE);
    }

    public static Optional<DatabaseProduct> of(String label) {
        return Stream.of(values())
                .filter(product -> product.label().equals(label))
                .findFirst();
    }

    /** The database behind a connection; throws, naming the known ones, when it is none of them. */
    public static DatabaseProduct of(Connection connection) throws SQLException {
        String found = connection.getMetaData().getDatabaseProductName();
        for (DatabaseProduct product : values()) {
            if (product.title.equals(found)) {
                return product;
            }
        }
        throw new StoreException(
                "Waybill does not know the database " + found + ". It knows "
                        + String.join(
                                ", ", Stream.of(values()).map(p -> p.title).toList()) + ".",
                null);
    }

    Dialect dialect() {
        return switch (this) {
            case POSTGRESQL -> Dialect.POSTGRESQL;
            case MARIADB, MYSQL -> Dialect.MARIADB;
            case H2 -> Dialect.H2;
        };
    }

    /** MySQL's tables are MariaDB's, but for the name of the order of texts. */
    Script script(String name) {
        return this == MYSQL
                ? new Script(Script.read("mariadb/" + name)
                        .replace("utf8mb4_nopad_bin", "utf8mb4_0900_bin")
                        .replace("MariaDB 10.11", "MySQL 8"))
                : new Script(Script.read(label() + "/" + name));
    }

    Engine usualEngine() {
        return engines().get(0);
    }

    /** Throws when this database cannot keep an outbox with that engine. */
    void require(Engine engine) {
        if (!engines().contains(engine)) {
            throw new WaybillException("The " + engine.label() + " engine needs PostgreSQL, and this is " + title
                    + ". Use the " + usualEngine().label() + " engine here.");
        }
    }
}

package io.waybill.jdbc;

import io.waybill.jdbc.internal.sql.Dialect;
import io.waybill.jdbc.internal.sql.H2Dialect;
import io.waybill.jdbc.internal.sql.MariaDbDialect;
import io.waybill.jdbc.internal.sql.MySqlDialect;
import io.waybill.jdbc.internal.sql.PostgresDialect;
import io.waybill.jdbc.internal.sql.SqlScript;
import io.waybill.store.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The databases that Waybill supports. */
public enum DatabaseProduct {
    POSTGRESQL("PostgreSQL", PostgresDialect.INSTANCE),
    MARIADB("MariaDB", new MariaDbDialect()),
    MYSQL("MySQL", new MySqlDialect()),
    H2("H2", new H2Dialect());

    private final String title;

    @SuppressWarnings("ImmutableEnumChecker") // dialects are immutable
    private final Dialect dialect;

    DatabaseProduct(String title, Dialect dialect) {
        this.title = title;
        this.dialect = dialect;
    }

    /** Returns the database that commands assume when no database is named. */
    public static DatabaseProduct defaultProduct() {
        return POSTGRESQL;
    }

    /** Returns the name to show in messages. */
    public String title() {
        return title;
    }

    /** Returns the name in URLs and commands. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the engines that run on this database, the default first. */
    public List<Engine> engines() {
        return dialect.engines();
    }

    public static Optional<DatabaseProduct> of(String label) {
        return Stream.of(values())
                .filter(product -> product.label().equals(label))
                .findFirst();
    }

    /** Whether READ COMMITTED, which the inbox needs, is the default isolation of this database. */
    public boolean readsCommittedByDefault() {
        return dialect().setReadCommitted().isEmpty();
    }

    /** Returns the product of a connection's database. Throws if Waybill does not support it. */
    public static DatabaseProduct of(Connection connection) throws SQLException {
        String found = connection.getMetaData().getDatabaseProductName();
        for (DatabaseProduct product : values()) {
            if (product.title.equals(found)) {
                return product;
            }
        }
        throw new StoreException(
                "Waybill does not support the database " + found + ". It supports "
                        + String.join(
                                ", ", Stream.of(values()).map(p -> p.title).toList()) + ".",
                null);
    }

    public Dialect dialect() {
        return dialect;
    }

    public SqlScript script(String name) {
        return dialect.script(name);
    }

    Engine defaultEngine() {
        return engines().get(0);
    }

    /** @throws UnsupportedByDatabaseException if the engine does not run on this database */
    public void require(Engine engine) {
        if (!engines().contains(engine)) {
            throw new UnsupportedByDatabaseException("The " + engine.label() + " engine needs "
                    + titlesOf(known -> known.engines().contains(engine))
                    + ", and this is " + title + ". Use the " + defaultEngine().label()
                    + " engine here, or do not set engine.");
        }
    }

    /** @throws UnsupportedByDatabaseException if layouts cannot serve tables in this database */
    public void requireLayouts() {
        if (!dialect.servesLayouts()) {
            throw new UnsupportedByDatabaseException("Layouts serve tables in "
                    + titlesOf(known -> known.dialect.servesLayouts())
                    + ", and this is " + title + ". Do not set layout; let services write into Waybill's own table:"
                    + " waybill schema print --database " + label() + ".");
        }
    }

    /** @throws UnsupportedByDatabaseException if the number of lanes cannot be changed in this database */
    public void requireChangeOfLanes() {
        if (!dialect.supportsTransactionalDdl()) {
            throw new UnsupportedByDatabaseException("The number of lanes cannot be changed on " + title
                    + ", where a table cannot be altered within a transaction, so relays could use the old lanes during the"
                    + " change. Up to eight relays can share the eight lanes.");
        }
    }

    private static String titlesOf(Predicate<DatabaseProduct> wanted) {
        return Stream.of(values()).filter(wanted).map(DatabaseProduct::title).collect(Collectors.joining(" or "));
    }
}

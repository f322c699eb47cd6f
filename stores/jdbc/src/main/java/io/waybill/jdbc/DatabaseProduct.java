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

/** The databases that Waybill's tables can live in. */
public enum DatabaseProduct {
    POSTGRESQL("PostgreSQL", PostgresDialect.INSTANCE),
    MARIADB("MariaDB", new MariaDbDialect()),
    MYSQL("MySQL", new MySqlDialect()),
    H2("H2", new H2Dialect());

    private final String title;

    @SuppressWarnings("ImmutableEnumChecker") // dialects have no state
    private final Dialect dialect;

    DatabaseProduct(String title, Dialect dialect) {
        this.title = title;
        this.dialect = dialect;
    }

    /** The one that is meant where none is named. */
    public static DatabaseProduct usual() {
        return POSTGRESQL;
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
        return dialect.engines();
    }

    public static Optional<DatabaseProduct> of(String label) {
        return Stream.of(values())
                .filter(product -> product.label().equals(label))
                .findFirst();
    }

    /** Whether a new transaction is READ COMMITTED, which the inbox needs, unless somebody has set another isolation. */
    public boolean readsCommittedByDefault() {
        return dialect().isolation().isEmpty();
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

    public Dialect dialect() {
        return dialect;
    }

    public SqlScript script(String name) {
        return dialect.script(name);
    }

    Engine usualEngine() {
        return engines().get(0);
    }

    /** @throws UnsupportedByDatabaseException when this database cannot keep an outbox with that engine */
    public void require(Engine engine) {
        if (!engines().contains(engine)) {
            throw new UnsupportedByDatabaseException("The " + engine.label() + " engine needs "
                    + those(known -> known.engines().contains(engine))
                    + ", and this is " + title + ". Use the " + usualEngine().label()
                    + " engine here, or leave engine out.");
        }
    }

    /** @throws UnsupportedByDatabaseException when this database cannot serve tables that are not Waybill's */
    public void requireLayouts() {
        if (!dialect.servesLayouts()) {
            throw new UnsupportedByDatabaseException("Layouts serve tables in "
                    + those(known -> known.dialect.servesLayouts())
                    + ", and this is " + title + ". Leave layout out, and let services write into Waybill's own table:"
                    + " waybill schema print --database " + label() + ".");
        }
    }

    /** @throws UnsupportedByDatabaseException when this database cannot change the number of lanes */
    public void requireChangeOfLanes() {
        if (!dialect.transactionalTables()) {
            throw new UnsupportedByDatabaseException("The number of lanes cannot be changed on " + title
                    + ", where tables do not change within a transaction: relays could work on old lanes meanwhile."
                    + " Eight lanes are as many relays as can share the work.");
        }
    }

    private static String those(Predicate<DatabaseProduct> wanted) {
        return Stream.of(values()).filter(wanted).map(DatabaseProduct::title).collect(Collectors.joining(" or "));
    }
}

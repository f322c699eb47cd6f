package io.waybill.jdbc.internal.assumption;

import io.waybill.jdbc.Engine;
import io.waybill.jdbc.internal.sql.Dialect;
import io.waybill.store.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;

/** Checks the assumptions of the engines about a database. */
public final class Assumptions {
    private static final Check NOTHING = (connection, engine) -> List.of();

    private Assumptions() {}

    @FunctionalInterface
    private interface Check {
        List<Violation> violations(Connection connection, Engine engine) throws SQLException;
    }

    /**
     * Returns the assumptions of the engine that do not hold on this database.
     *
     * @param connection a connection inside a transaction with the settings of a relay
     */
    public static List<Violation> violations(Connection connection, Engine engine) throws SQLException {
        Check check =
                Dialect.of(connection).choose(PostgresAssumption::violations, MariaDbAssumption::violations, NOTHING);
        return check.violations(connection, engine);
    }

    /** Throws a {@link StoreException} if an assumption of the engine does not hold on this database. */
    public static void require(Connection connection, Engine engine) throws SQLException {
        List<Violation> violations = violations(connection, engine);
        if (!violations.isEmpty()) {
            throw new StoreException(
                    violations.stream().map(Violation::message).collect(Collectors.joining(" ")), null);
        }
    }
}

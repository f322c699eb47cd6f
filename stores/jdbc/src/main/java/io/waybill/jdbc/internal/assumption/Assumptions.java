package io.waybill.jdbc.internal.assumption;

import io.waybill.jdbc.Engine;
import io.waybill.jdbc.internal.sql.Dialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** What the engines assume about their databases. */
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
     * @param connection in a transaction, as a relay has it
     */
    public static List<Violation> violations(Connection connection, Engine engine) throws SQLException {
        Check check =
                Dialect.of(connection).choose(PostgresAssumption::violations, MariaDbAssumption::violations, NOTHING);
        return check.violations(connection, engine);
    }
}

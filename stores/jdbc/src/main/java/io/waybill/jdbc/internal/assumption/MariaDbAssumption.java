package io.waybill.jdbc.internal.assumption;

import io.waybill.jdbc.Engine;
import io.waybill.jdbc.internal.assumption.Violation.Concern;
import io.waybill.jdbc.internal.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** The queue engine's assumptions about MariaDB and MySQL. Heartbeats, {@code schema check} and {@code doctor} check them. */
public final class MariaDbAssumption {
    /** Other storage engines have no transactions: an event would exist although its transaction was rolled back. */
    private static final String NOT_INNODB = """
            SELECT table_name, engine FROM information_schema.tables
            WHERE table_schema = database() AND table_type = 'BASE TABLE' AND engine <> 'InnoDB'
              AND table_name IN ('outbox_events', 'outbox_lanes', 'outbox_claims', 'outbox_relays')""";

    private static final String INCREMENT =
            "SELECT @@global.auto_increment_increment FROM dual WHERE @@global.auto_increment_increment <> 1";

    private MariaDbAssumption() {}

    static List<Violation> violations(Connection connection, Engine engine) throws SQLException {
        Sql sql = Sql.on(connection);
        List<Violation> violations = new ArrayList<>();
        sql.query(NOT_INNODB, row -> {
            while (row.next()) {
                violations.add(new Violation(
                        Concern.TABLES,
                        "Table " + row.getString(1) + " uses the storage engine " + row.getString(2)
                                + ", which has no transactions: events of rolled back transactions would be published. Run:"
                                + " ALTER TABLE " + row.getString(1) + " ENGINE = InnoDB;"));
            }
            return violations;
        });
        sql.query(INCREMENT, row -> {
            if (row.next()) {
                violations.add(
                        new Violation(
                                Concern.TABLES,
                                "auto_increment_increment is " + row.getInt(1)
                                        + ": several servers generate numbers of events, so the numbers do not give the order"
                                        + " of a key's events. Let services write to one server, and set"
                                        + " auto_increment_increment to 1 there (in Galera: wsrep_auto_increment_control = OFF)."));
            }
            return violations;
        });
        return violations;
    }
}

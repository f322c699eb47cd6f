package io.waybill.jdbc.internal.schema;

import io.waybill.jdbc.DatabaseProduct;
import io.waybill.jdbc.Engine;
import io.waybill.jdbc.internal.assumption.Assumptions;
import io.waybill.jdbc.internal.assumption.Violation;
import io.waybill.jdbc.internal.assumption.Violation.Concern;
import io.waybill.jdbc.internal.journal.UnreachableRows;
import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.jdbc.internal.sql.SqlScript;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The version and the engine of the outbox tables in a database, as the table {@code waybill_schema} records them. */
public record InstalledSchema(int version, String engine) {
    /** The version that this library reads and writes. */
    public static final int VERSION = 1;

    /** Returns empty if the outbox tables do not exist. */
    public static Optional<InstalledSchema> read(Connection connection) throws SQLException {
        Sql sql = Sql.on(connection);
        if (!sql.tableExists("waybill_schema")) {
            return Optional.empty();
        }
        return sql.query(
                "SELECT version, engine FROM waybill_schema WHERE component = 'outbox'",
                row -> row.next()
                        ? Optional.of(new InstalledSchema(row.getInt(1), row.getString(2)))
                        : Optional.empty());
    }

    /** Returns the script that creates the tables of an engine. */
    public static SqlScript script(DatabaseProduct product, Engine engine) {
        product.require(engine);
        return new SqlScript(product.script("shared.sql").text() + "\n"
                + product.script(engine.label() + ".sql").text());
    }

    /** Returns the reason why this program cannot use the tables with that engine; empty if it can. */
    public Optional<String> mismatch(Engine wanted) {
        if (version > VERSION) {
            return Optional.of(
                    "The tables have schema version " + version + ", and this program supports versions up to "
                            + VERSION + ". Use a newer Waybill with this database.");
        }
        if (version < VERSION) {
            return Optional.of("The tables have schema version " + version + ", and this program needs version "
                    + VERSION + ". Migrate the tables, or use the Waybill version that created them.");
        }
        return engine.equals(wanted.label())
                ? Optional.empty()
                : Optional.of("The tables belong to the " + engine + " engine, not to the " + wanted.label()
                        + " engine. Configure engine: " + engine
                        + " or leave the setting out; or migrate the tables with waybill schema migrate --to "
                        + wanted.label() + ".");
    }

    /** Returns the differences between the existing tables and the script of this version, each with its remedy. */
    public static List<String> problems(Connection connection, Engine engine) throws SQLException {
        Optional<InstalledSchema> installed = read(connection);
        if (installed.isEmpty()) {
            return List.of(
                    "Waybill's tables do not exist in the default schema of this database's connections. Create them with"
                            + " waybill schema apply, or give the output of waybill schema print to your migration tool.");
        }
        Optional<String> mismatch = installed.get().mismatch(engine);
        if (mismatch.isPresent()) {
            return List.of(mismatch.get());
        }
        List<String> problems = new ArrayList<>();
        Sql sql = Sql.on(connection);
        for (String table : engine.tables()) {
            if (!sql.tableExists(table)) {
                problems.add("Table " + table
                        + " is missing. Compare your database with the output of waybill schema print.");
            }
        }
        problems.addAll(TableColumns.problems(connection, script(DatabaseProduct.of(connection), engine)));
        return problems;
    }

    /** Returns the violated assumptions of the engine, including those that only a search of the events finds. */
    public static List<Violation> violations(Connection connection, Engine engine) throws SQLException {
        List<Violation> violations = new ArrayList<>(Assumptions.violations(connection, engine));
        if (engine == Engine.JOURNAL && violations.isEmpty()) {
            UnreachableRows.inAnyLane(connection)
                    .ifPresent(e -> violations.add(new Violation(Concern.REBASE, String.valueOf(e.getMessage()))));
        }
        return violations;
    }
}

package io.waybill.server.database.jdbc;

import io.waybill.WaybillException;
import io.waybill.jdbc.UnsupportedByDatabaseException;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.util.function.Supplier;

/** Runs a change of the tables. A change that the tables do not allow exits with the code for database problems. */
final class SchemaChange {
    private SchemaChange() {}

    static <T> T of(Supplier<T> change) {
        try {
            return change.get();
        } catch (WaybillException e) {
            if (e instanceof Problem
                    || e instanceof UnsupportedByDatabaseException
                    || SqlProblems.sql(e).isPresent()) {
                throw e;
            }
            throw new Problem(Exit.DATABASE, String.valueOf(e.getMessage()), e);
        }
    }
}

package io.waybill.server.cli;

import io.waybill.jdbc.PostgresQueue;
import io.waybill.jdbc.PostgresSchema;
import io.waybill.server.database.Database;
import javax.sql.DataSource;

/** The outbox of a command, after its schema was found to be one that this version understands. */
record OutboxAccess(Database database, DataSource source, PostgresQueue queue) {

    static OutboxAccess open(Database database) {
        DataSource source = database.direct();
        database.knock(source);
        database.demand(PostgresSchema.problems(source));
        return new OutboxAccess(database, source, PostgresQueue.on(source));
    }

    /** For a service that may do nothing but insert: a schema that it may not look at is taken as right. */
    static OutboxAccess openToAppend(Database database) {
        DataSource source = database.direct();
        database.knock(source);
        database.schemaProblems(source).ifPresent(database::demand);
        return new OutboxAccess(database, source, PostgresQueue.on(source));
    }
}

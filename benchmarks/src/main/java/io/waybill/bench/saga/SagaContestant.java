package io.waybill.bench.saga;

import io.waybill.bench.measure.DeliveryCheck;
import java.sql.SQLException;

/**
 * A service that runs sagas, and a participant that executes their commands, each with an outbox, a relay and a Kafka consumer. A
 * saga has three commands, one after the other. It makes seven commits: its start, and one for each command and each reply.
 */
public interface SagaContestant extends AutoCloseable {
    int STEPS = 3;

    /** Creates the saga's row and its first command in one transaction. */
    void start(int number) throws SQLException;

    /** Returns the number of sagas that have ended. */
    long ended();

    /** Returns the number of transactions of the database that have written something so far. */
    double commits() throws SQLException;

    /** Compares the effects of the participant with the sagas that were started. */
    DeliveryCheck check(int sagas) throws SQLException;

    @Override
    void close();
}

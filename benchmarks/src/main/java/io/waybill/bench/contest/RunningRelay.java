package io.waybill.bench.contest;

import java.sql.SQLException;

/** A running relay or loop. */
public interface RunningRelay extends AutoCloseable {
    void begin();

    /** Returns the number of acknowledged events. The call is cheap. */
    long published();

    /** Whether all events are published and settled. Called when all events are acknowledged. */
    boolean settled() throws SQLException;

    /** The hint that a writer in the same JVM can give after its commit. */
    default void hint() {}

    @Override
    void close();
}

package io.waybill.bench.contest;

import java.sql.SQLException;

/** A relay, from its beginning to its end. */
public interface Running extends AutoCloseable {
    void begin();

    /** Events that the broker has acknowledged; cheap. */
    long published();

    /** Whether nothing is left to relay or to settle; asked when enough is published. */
    boolean settled() throws SQLException;

    /** What a writer in the same JVM may call after its commit. */
    default void hint() {}

    @Override
    void close();
}

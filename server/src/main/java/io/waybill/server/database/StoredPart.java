package io.waybill.server.database;

import io.waybill.server.problem.Exit;
import java.util.List;
import java.util.function.Function;

/**
 * A part of Waybill beside the outbox, such as the inbox, in one database.
 *
 * @param <T> what operators use
 */
public interface StoredPart<T> {
    int version();

    /** Creates the missing tables. */
    void create();

    List<String> problems();

    /** On the connections of a command, without checking the tables. */
    T open();

    /** Runs work with many statements on a pool: a connection for each of them would take most of the time. */
    Exit pooled(Function<T, Exit> work);
}

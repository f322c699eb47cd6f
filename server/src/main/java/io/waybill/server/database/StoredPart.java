package io.waybill.server.database;

import io.waybill.server.problem.Exit;
import java.util.List;
import java.util.function.Function;

/**
 * A part of Waybill beside the outbox, such as the inbox, in one database.
 *
 * @param <T> the operations of this part for operators
 */
public interface StoredPart<T> {
    int version();

    /** Creates the missing tables. */
    void create();

    List<String> problems();

    /** Opens the part on the connections of a command, without checking the tables. */
    T open();

    /** Runs work with many statements on a pool: opening a connection for each statement would take most of the time. */
    Exit pooled(Function<T, Exit> work);
}

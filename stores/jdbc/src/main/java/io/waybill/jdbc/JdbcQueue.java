package io.waybill.jdbc;

import static java.util.Objects.requireNonNull;

import io.waybill.operate.DeadLetters;
import io.waybill.operate.OutboxView;
import io.waybill.store.OutboxStore;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;

/**
 * The queue engine, on any {@link DatabaseProduct}: every event is a row of {@code outbox_events} that goes from PENDING over
 * CLAIMED to PUBLISHED. Works behind a transaction-mode connection pooler: nothing outlives a transaction but the rows.
 */
public final class JdbcQueue implements JdbcEngine {
    /** What becomes of the row of a published event. */
    public enum OnSuccess {
        /** It is marked PUBLISHED and stays until its retention ends. */
        MARK,
        /** It is deleted. */
        DELETE
    }

    private final OutboxStore store;
    private final OutboxView view;
    private final JdbcDeadLetters deadLetters;

    private JdbcQueue(Database database, OutboxStore store, UnaryOperator<OutboxView> around) {
        JdbcView own = new JdbcView(database, QueueQueries.VIEW);
        this.store = store;
        this.view = around.apply(own);
        this.deadLetters = new JdbcDeadLetters(database, own, new QueueRepair());
    }

    public static JdbcQueue on(DataSource dataSource) {
        return on(dataSource, OnSuccess.MARK);
    }

    public static JdbcQueue on(DataSource dataSource, OnSuccess onSuccess) {
        Database database = new Database(requireNonNull(dataSource, "dataSource")).ofStore();
        return new JdbcQueue(database, new QueueStore(database, requireNonNull(onSuccess, "onSuccess")), own -> own);
    }

    /**
     * Serves a table that was there before Waybill: what waits in it is taken into Waybill's own tables, and what becomes of it is
     * told to that table in the transaction that settles it. Published events leave Waybill's tables at once.
     *
     * @param dataSource its connections must look for tables in the layout's schema
     */
    public static JdbcQueue on(DataSource dataSource, Layout layout) {
        Database database = new Database(requireNonNull(dataSource, "dataSource")).ofStore();
        LayoutBinding binding = new LayoutBinding(requireNonNull(layout, "layout"));
        return new JdbcQueue(
                database, new LayoutStore(database, binding), own -> new LayoutView(database, binding, own));
    }

    @Override
    public OutboxStore store() {
        return store;
    }

    @Override
    public OutboxView view() {
        return view;
    }

    @Override
    public DeadLetters deadLetters() {
        return deadLetters;
    }
}

package io.waybill.jdbc;

import static java.util.Objects.requireNonNull;

import io.waybill.admin.DeadLetters;
import io.waybill.admin.OutboxView;
import io.waybill.jdbc.internal.admin.JdbcDeadLetters;
import io.waybill.jdbc.internal.admin.JdbcView;
import io.waybill.jdbc.internal.queue.DeadLetterRepair;
import io.waybill.jdbc.internal.queue.OperatorQueries;
import io.waybill.jdbc.internal.queue.PublishedRow;
import io.waybill.jdbc.internal.queue.QueueStore;
import io.waybill.jdbc.internal.sql.Transactions;
import io.waybill.jdbc.layout.BoundLayout;
import io.waybill.jdbc.layout.Layout;
import io.waybill.jdbc.layout.LayoutStore;
import io.waybill.jdbc.layout.LayoutView;
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

    private JdbcQueue(Transactions database, OutboxStore store, UnaryOperator<OutboxView> around) {
        JdbcView own = new JdbcView(database, OperatorQueries.VIEW::of);
        this.store = store;
        this.view = around.apply(own);
        this.deadLetters = new JdbcDeadLetters(database, own, new DeadLetterRepair());
    }

    public static JdbcQueue on(DataSource dataSource) {
        return on(dataSource, OnSuccess.MARK);
    }

    public static JdbcQueue on(DataSource dataSource, OnSuccess onSuccess) {
        Transactions database = new Transactions(requireNonNull(dataSource, "dataSource")).ofStore();
        PublishedRow row =
                requireNonNull(onSuccess, "onSuccess") == OnSuccess.DELETE ? PublishedRow.DELETE : PublishedRow.MARK;
        return new JdbcQueue(database, new QueueStore(database, row), own -> own);
    }

    /**
     * Serves a table that was there before Waybill: what waits in it is taken into Waybill's own tables, and what becomes of it is
     * told to that table in the transaction that settles it. Published events leave Waybill's tables at once.
     *
     * @param dataSource its connections must look for tables in the layout's schema
     */
    public static JdbcQueue on(DataSource dataSource, Layout layout) {
        Transactions database = new Transactions(requireNonNull(dataSource, "dataSource")).ofStore();
        BoundLayout binding = new BoundLayout(requireNonNull(layout, "layout"));
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

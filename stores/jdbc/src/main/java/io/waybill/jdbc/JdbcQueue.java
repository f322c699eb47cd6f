package io.waybill.jdbc;

import static java.util.Objects.requireNonNull;

import io.waybill.Outbox;
import io.waybill.admin.BulkOperations;
import io.waybill.admin.DeadLetters;
import io.waybill.admin.OutboxActions;
import io.waybill.admin.OutboxSearch;
import io.waybill.admin.OutboxView;
import io.waybill.jdbc.internal.admin.JdbcActions;
import io.waybill.jdbc.internal.admin.JdbcBulk;
import io.waybill.jdbc.internal.admin.JdbcDeadLetters;
import io.waybill.jdbc.internal.admin.JdbcSearch;
import io.waybill.jdbc.internal.admin.JdbcView;
import io.waybill.jdbc.internal.queue.OperatorQueries;
import io.waybill.jdbc.internal.queue.PublishedRow;
import io.waybill.jdbc.internal.queue.QueueDeadLetters;
import io.waybill.jdbc.internal.queue.QueueStore;
import io.waybill.jdbc.internal.sql.Transactions;
import io.waybill.jdbc.layout.BoundLayout;
import io.waybill.jdbc.layout.Layout;
import io.waybill.jdbc.layout.LayoutStore;
import io.waybill.jdbc.layout.LayoutView;
import io.waybill.store.OutboxStore;
import java.sql.Connection;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The queue engine, on any {@link DatabaseProduct}. Every event is a row of {@code outbox_events} that changes from PENDING to CLAIMED
 * to PUBLISHED. The engine works behind a connection pooler in transaction mode: it keeps no state in a session.
 */
public final class JdbcQueue implements JdbcEngine {
    /** What happens to the row of a published event. */
    public enum OnSuccess {
        /** The row is marked PUBLISHED and kept until its retention ends. */
        MARK,
        /** The row is deleted. */
        DELETE
    }

    private final OutboxStore store;
    private final OutboxView view;
    private final JdbcSearch search;
    private final JdbcActions actions;
    private final JdbcBulk bulk;
    private final JdbcDeadLetters deadLetters;

    private JdbcQueue(
            Transactions database,
            OutboxStore store,
            UnaryOperator<OutboxView> around,
            @Nullable Outbox<Connection> outbox) {
        JdbcView own = new JdbcView(database, OperatorQueries.VIEW::of);
        this.store = store;
        this.view = around.apply(own);
        this.search = new JdbcSearch(database, OperatorQueries.VIEW::of, OperatorQueries.SEARCH::of);
        this.actions = new JdbcActions(database, new QueueDeadLetters(), outbox);
        this.bulk = new JdbcBulk(database, search, actions, new QueueDeadLetters());
        this.deadLetters = new JdbcDeadLetters(own, actions);
    }

    public static JdbcQueue on(DataSource dataSource) {
        return on(dataSource, OnSuccess.MARK);
    }

    public static JdbcQueue on(DataSource dataSource, OnSuccess onSuccess) {
        Transactions database = new Transactions(requireNonNull(dataSource, "dataSource")).forStore();
        PublishedRow row =
                requireNonNull(onSuccess, "onSuccess") == OnSuccess.DELETE ? PublishedRow.DELETE : PublishedRow.MARK;
        return new JdbcQueue(database, new QueueStore(database, row), own -> own, JdbcOutbox.create());
    }

    /**
     * Serves an existing outbox table. Pending rows of that table are imported into Waybill's own tables, and the outcome of each event
     * is written back to that table in the transaction that settles the event. Published events are deleted from Waybill's
     * tables.
     *
     * @param dataSource a source of connections whose default schema is the schema of the layout
     */
    public static JdbcQueue on(DataSource dataSource, Layout layout) {
        Transactions database = new Transactions(requireNonNull(dataSource, "dataSource")).forStore();
        BoundLayout binding = new BoundLayout(requireNonNull(layout, "layout"));
        return new JdbcQueue(
                database, new LayoutStore(database, binding), own -> new LayoutView(database, binding, own), null);
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

    @Override
    public OutboxSearch search() {
        return search;
    }

    @Override
    public OutboxActions actions() {
        return actions;
    }

    @Override
    public BulkOperations bulk() {
        return bulk;
    }
}

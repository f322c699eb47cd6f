package io.waybill.server.up;

import io.waybill.WaybillException;
import io.waybill.admin.OutboxActions;
import io.waybill.internal.LogText;
import io.waybill.jdbc.inbox.InboxSchema;
import io.waybill.jdbc.saga.SagaSchema;
import io.waybill.server.broker.BrokerAddress;
import io.waybill.server.broker.BrokerKind;
import io.waybill.server.daemon.Closeables;
import io.waybill.server.database.OutboxTables;
import java.sql.SQLException;
import java.util.Optional;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All parts of the demo: orders and mistakes, a paused type, a consumer group with a faulty handler, and sagas that fail in several
 * ways. So every page of the console has something to show and to repair.
 */
public final class DemoParts implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DemoParts.class);

    private final Closeables parts = new Closeables();

    private DemoParts() {}

    /**
     * @param createTables whether the demo may create the tables of the inbox and of sagas; without them, and on a database without
     *     JDBC, it writes orders only
     * @param perSecond the approximate number of orders per second
     */
    public static DemoParts start(OutboxTables tables, BrokerAddress broker, boolean createTables, double perSecond) {
        DemoParts demo = new DemoParts();
        demo.parts.add(Demo.start(tables.demoOrders(), perSecond));
        Optional<DataSource> jdbc = tables.dataSource();
        if (createTables && jdbc.isPresent()) {
            DataSource source = jdbc.get();
            try {
                Optional<OutboxActions> actions = tables.outbox().actions();
                if (actions.isPresent()) {
                    demo.parts.add(DemoNewsletter.start(source, actions.get()));
                }
                SagaSchema.apply(source);
                demo.parts.add(DemoSagas.start(source));
                if (broker.kind() == BrokerKind.KAFKA) {
                    InboxSchema.apply(source);
                    demo.parts.add(DemoLoyalty.start(source, broker.address()));
                    demo.parts.add(DemoWarehouse.start(source, broker.address()));
                }
            } catch (SQLException | WaybillException e) {
                LOG.warn("The demo runs without some of its parts: {}", LogText.oneLine(e.getMessage()));
            }
        }
        return demo;
    }

    @Override
    public void close() {
        parts.close();
    }
}

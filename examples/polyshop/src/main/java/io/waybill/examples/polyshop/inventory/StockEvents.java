package io.waybill.examples.polyshop.inventory;

import io.waybill.Event;
import io.waybill.Outbox;
import io.waybill.examples.polyshop.service.Json;
import io.waybill.examples.polyshop.service.ServiceRuntime;
import io.waybill.inbox.Handler;
import io.waybill.inbox.InboxBuilder;
import io.waybill.inbox.PermanentException;
import io.waybill.jdbc.saga.JdbcCommandStore;
import io.waybill.saga.participant.Answer;
import io.waybill.saga.participant.SagaParticipant;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The handlers of the events that inventory consumes. */
final class StockEvents {
    private final ServiceRuntime runtime;
    private final SagaParticipant<Connection> participant;

    StockEvents(ServiceRuntime runtime) {
        this.runtime = runtime;
        this.participant = SagaParticipant.of(
                runtime.settings().service(), JdbcCommandStore.on(runtime.database()), runtime.outbox());
    }

    InboxBuilder<Connection> handlers(InboxBuilder<Connection> inbox) {
        return inbox.on("inventory.stock.reserve-requested.v1", participant.command(this::reserve))
                .on("payment.payment.succeeded.v1", this::confirm)
                .on("order.order.paid.v1", this::confirm)
                .on("order.order.cancelled.v1", close("The order was cancelled."))
                .on("order.order.expired.v1", close("The order has expired."))
                .on("product.variant.created.v1", this::know);
    }

    record Line(@Nullable UUID productId, @Nullable UUID variantId, int quantity) {}

    record Request(@Nullable UUID orderId, @Nullable List<Line> items) {}

    /** The reply to the command is the event of the last line. */
    private Answer reserve(Connection connection, Event command) throws SQLException {
        Request request = Json.read(command.payload(), Request.class);
        UUID order = required(request.orderId(), "orderId", command);
        List<Item> items = new ArrayList<>();
        for (Line line : request.items() == null ? List.<Line>of() : request.items()) {
            if (line.quantity() < 1) {
                throw new PermanentException("Event " + command + " has a line without a quantity.");
            }
            items.add(new Item(required(line.productId(), "productId", command), line.variantId(), line.quantity()));
        }
        if (items.isEmpty()) {
            throw new PermanentException("Event " + command + " has no items.");
        }
        Optional<Stock.Missing> missing = Stock.reserve(connection, order, items, null);
        if (missing.isPresent()) {
            return Answer.refused(
                    "inventory.stock.reservation-failed.v1",
                    order.toString(),
                    Map.of("orderId", order, "reason", missing.get().reason()));
        }
        Outbox<Connection> outbox = runtime.outbox(command);
        int last = items.size();
        for (int line = 1; line < last; line++) {
            Item item = items.get(line - 1);
            Stock.emit(
                    connection,
                    outbox,
                    "inventory.stock.reserved.v1",
                    item,
                    Stock.reserved(order, item, null, line, last));
        }
        Item item = items.get(last - 1);
        return Answer.done(
                "inventory.stock.reserved.v1",
                item.productId().toString(),
                Stock.reserved(order, item, null, last, last));
    }

    record OfOrder(@Nullable UUID orderId) {}

    private void confirm(Connection connection, Event event) throws SQLException {
        Stock.confirmOrder(connection, runtime.outbox(event), order(event));
    }

    private Handler<Connection> close(String reason) {
        return (connection, event) -> Stock.closeOrder(connection, runtime.outbox(event), order(event), reason);
    }

    private static UUID order(Event event) {
        return required(Json.read(event.payload(), OfOrder.class).orderId(), "orderId", event);
    }

    record Variant(@Nullable UUID productId, @Nullable UUID variantId) {}

    private void know(Connection connection, Event event) throws SQLException {
        Variant variant = Json.read(event.payload(), Variant.class);
        Stock.know(connection, required(variant.productId(), "productId", event), variant.variantId());
    }

    private static UUID required(@Nullable UUID value, String field, Event event) {
        if (value == null) {
            throw new PermanentException("Event " + event + " has no " + field + ".");
        }
        return value;
    }
}

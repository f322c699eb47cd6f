package io.waybill.examples.polyshop.launcher;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.errors.TopicExistsException;

/** The topics of the shop. They are created before the services start, so that no consumer has to wait for its topics. */
public final class Topics {
    public static final String DEAD = ".dlt";

    public static final List<String> ALL = List.of(
            "auth.user.created.v1",
            "auth.user.verified.v1",
            "auth.user.role-updated.v1",
            "product.product.created.v1",
            "product.product.updated.v1",
            "product.product.deleted.v1",
            "product.variant.created.v1",
            "product.variant.updated.v1",
            "product.variant.deleted.v1",
            "inventory.stock.reserve-requested.v1",
            "inventory.stock.reserved.v1",
            "inventory.stock.reservation-failed.v1",
            "inventory.stock.confirmed.v1",
            "inventory.stock.released.v1",
            "inventory.stock.movement.v1",
            "order.order.placed.v1",
            "order.order.paid.v1",
            "order.order.cancelled.v1",
            "order.order.expired.v1",
            "order.order.fulfilled.v1",
            "order.fulfillment.requested.v1",
            "order.fulfillment.completed.v1",
            "payment.intent.requested.v1",
            "payment.intent.created.v1",
            "payment.payment.succeeded.v1",
            "payment.payment.failed.v1",
            "payment.refund.created.v1",
            "notification.email.sent.v1",
            "notification.email.failed.v1");

    private static final int PARTITIONS = 3;

    private Topics() {}

    /** Creates the topics that do not exist. */
    public static void create(String broker) throws InterruptedException {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker))) {
            List<NewTopic> topics = new ArrayList<>();
            ALL.forEach(topic -> topics.add(new NewTopic(topic, PARTITIONS, (short) 1)));
            for (var created : admin.createTopics(topics).values().entrySet()) {
                try {
                    created.getValue().get(1, TimeUnit.MINUTES);
                } catch (ExecutionException e) {
                    if (!(e.getCause() instanceof TopicExistsException)) {
                        throw new IllegalStateException("Cannot create topic " + created.getKey(), e.getCause());
                    }
                } catch (TimeoutException e) {
                    throw new IllegalStateException("Cannot create topic " + created.getKey() + " in time", e);
                }
            }
        }
    }
}

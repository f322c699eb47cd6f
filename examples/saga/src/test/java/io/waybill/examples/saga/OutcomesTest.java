package io.waybill.examples.saga;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.examples.saga.Faults.Fault;
import io.waybill.saga.SagaStatus;
import io.waybill.testkit.servers.SharedServers;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every fault, on PostgreSQL and Kafka: the state of the saga, and what the four services have stored. */
class OutcomesTest {
    /** Long enough for a busy machine: healthy services must answer within two attempts. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    @Test
    void everyFaultEndsAsTheDefinitionSays(@TempDir Path folder) throws Exception {
        String database = SharedServers.freshDatabase();
        String broker = SharedServers.kafka().bootstrapServers();
        Faults faults = new Faults();
        try (Participants participants = new Participants(database, broker, faults, PATIENCE);
                Shop shop = new Shop(database, broker, faults, PATIENCE)) {
            participants.start();
            shop.start();
            Outcomes outcomes = new Outcomes(shop, new PrintStream(System.out, true, StandardCharsets.UTF_8), true);
            outcomes.warmUp("test");
            Map<Fault, String> orders = outcomes.run(List.of(Fault.values()), "test");

            Map<Fault, SagaStatus> statuses = new EnumMap<>(Fault.class);
            Map<Fault, String> rows = new EnumMap<>(Fault.class);
            for (Map.Entry<Fault, String> order : orders.entrySet()) {
                statuses.put(order.getKey(), shop.result(order.getValue()).status());
                rows.put(order.getKey(), rows(database, order.getValue()));
            }
            assertThat(statuses)
                    .containsEntry(Fault.NONE, SagaStatus.COMPLETED)
                    .containsEntry(Fault.STOCK_MISSING, SagaStatus.ROLLED_BACK)
                    .containsEntry(Fault.STOCK_SILENT, SagaStatus.ROLLED_BACK)
                    .containsEntry(Fault.PAYMENT_DECLINED, SagaStatus.ROLLED_BACK)
                    .containsEntry(Fault.PAYMENT_SILENT, SagaStatus.ROLLED_BACK)
                    .containsEntry(Fault.DELIVERY_REFUSED, SagaStatus.COMPLETED)
                    .containsEntry(Fault.RELEASE_FAILS, SagaStatus.FAILED);
            assertThat(rows)
                    .containsEntry(Fault.NONE, "COMPLETED reserved paid fleet")
                    .containsEntry(Fault.STOCK_MISSING, "CANCELLED")
                    .containsEntry(Fault.STOCK_SILENT, "CANCELLED")
                    .containsEntry(Fault.PAYMENT_DECLINED, "CANCELLED")
                    .containsEntry(Fault.PAYMENT_SILENT, "CANCELLED")
                    .containsEntry(Fault.DELIVERY_REFUSED, "COMPLETED reserved paid courier")
                    .containsEntry(Fault.RELEASE_FAILS, "CANCELLED reserved");

            Path page = folder.resolve("outcomes.md");
            outcomes.draw(orders, page);
            assertThat(Files.readString(page)).contains("## release fails: FAILED", "TAINTED", "COMPENSATED");
        }
    }

    /** Returns what the services have stored about an order: its state, and what stock, payment and delivery did. */
    private static String rows(String database, String order) throws SQLException {
        try (Connection connection = DriverManager.getConnection(database);
                Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery("SELECT concat_ws(' ', (SELECT state FROM shop.orders WHERE id = '"
                                + order + "'), (SELECT 'reserved' FROM stock.reservations WHERE order_id = '" + order
                                + "'), (SELECT 'paid' FROM payment.payments WHERE order_id = '" + order
                                + "'), (SELECT CASE WHEN by_courier THEN 'courier' ELSE 'fleet' END FROM delivery.deliveries"
                                + " WHERE order_id = '" + order + "'))")) {
            row.next();
            return row.getString(1);
        }
    }
}

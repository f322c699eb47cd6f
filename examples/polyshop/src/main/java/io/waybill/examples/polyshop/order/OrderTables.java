package io.waybill.examples.polyshop.order;

import io.waybill.jdbc.OutboxSchema;
import io.waybill.jdbc.inbox.InboxSchema;
import io.waybill.jdbc.saga.SagaSchema;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import javax.sql.DataSource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Creates the tables when the application starts: first Waybill's own, because a view of the service reads them. */
@Component
class OrderTables {
    OrderTables(DataSource database, JdbcClient jdbc) throws IOException {
        OutboxSchema.apply(database);
        InboxSchema.apply(database);
        SagaSchema.apply(database);
        jdbc.sql(new ClassPathResource("order.sql", OrderTables.class).getContentAsString(StandardCharsets.UTF_8))
                .update();
    }
}

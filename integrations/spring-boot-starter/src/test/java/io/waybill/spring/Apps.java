package io.waybill.spring;

import io.waybill.spring.internal.broker.KafkaAutoConfiguration;
import io.waybill.spring.internal.broker.NatsAutoConfiguration;
import io.waybill.spring.internal.broker.RabbitAutoConfiguration;
import io.waybill.spring.internal.inbox.InboxAutoConfiguration;
import io.waybill.spring.internal.outbox.OutboxAutoConfiguration;
import io.waybill.spring.internal.outbox.WriterAutoConfiguration;
import io.waybill.spring.internal.relay.RelayAutoConfiguration;
import io.waybill.spring.internal.saga.SagaAutoConfiguration;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;

/** Starts whole applications on a real database. */
public final class Apps {
    /** Most tests do not need Hibernate, which is slow to start. */
    public static final String WITHOUT_JPA =
            "spring.autoconfigure.exclude=org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration,"
                    + "org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration";

    /** What an application with a DataSource has, without Actuator and JPA. */
    public static final AutoConfigurations AUTO_CONFIGURATIONS = AutoConfigurations.of(
            DataSourceAutoConfiguration.class,
            DataSourceTransactionManagerAutoConfiguration.class,
            TransactionAutoConfiguration.class,
            OutboxAutoConfiguration.class,
            WriterAutoConfiguration.class,
            KafkaAutoConfiguration.class,
            RabbitAutoConfiguration.class,
            NatsAutoConfiguration.class,
            InboxAutoConfiguration.class,
            RelayAutoConfiguration.class,
            SagaAutoConfiguration.class);

    private Apps() {}

    public static ConfigurableApplicationContext run(Class<?> application, String database, String... properties) {
        return builder(application, database, properties).run();
    }

    static SpringApplicationBuilder builder(Class<?> application, String database, String... properties) {
        List<String> all = new ArrayList<>(List.of(
                "spring.application.name=shop",
                "spring.datasource.url=" + database,
                "spring.main.banner-mode=off",
                "spring.flyway.enabled=false"));
        all.addAll(List.of(properties));
        return new SpringApplicationBuilder(application)
                .web(WebApplicationType.NONE)
                .properties(all.toArray(String[]::new));
    }
}

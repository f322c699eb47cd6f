package io.waybill.spring.internal.outbox;

import com.zaxxer.hikari.HikariDataSource;
import io.waybill.envelope.Envelope;
import io.waybill.jdbc.JdbcEngine;
import io.waybill.spring.LayoutProperties;
import io.waybill.spring.WaybillProperties;
import io.waybill.spring.internal.start.ServiceName;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ResourceLoader;

/** Lets the relay serve an outbox table of the application's own instead of Waybill's. */
@AutoConfiguration(before = OutboxAutoConfiguration.class)
@ConditionalOnClass(HikariDataSource.class)
@ConditionalOnProperty(LayoutAutoConfiguration.NAME)
@ConditionalOnProperty(prefix = "waybill", name = "enabled", matchIfMissing = true)
@EnableConfigurationProperties(LayoutProperties.class)
public class LayoutAutoConfiguration {
    static final String NAME = "waybill.layout.name";

    @Bean
    LayoutDatabase waybillLayoutDatabase(LayoutProperties settings, Environment environment, ResourceLoader resources) {
        return new LayoutDatabase(settings, environment, resources);
    }

    @Bean
    @ConditionalOnMissingBean
    @DependsOnDatabaseInitialization
    JdbcEngine waybillLayoutEngine(LayoutDatabase database, WaybillProperties settings) {
        return database.engine(settings.schema());
    }

    @Bean
    @ConditionalOnMissingBean
    Envelope waybillLayoutEnvelope(LayoutDatabase database, WaybillProperties settings, Environment environment) {
        return database.layout().payloadAlone()
                ? Envelope.none()
                : Envelope.standard(ServiceName.ofSource(settings.source(), environment));
    }
}

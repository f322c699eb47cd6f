package io.waybill.spring.internal.outbox;

import io.waybill.envelope.Envelope;
import io.waybill.spring.EventFactory;
import io.waybill.spring.EventHeaders;
import io.waybill.spring.InboxConsumer;
import io.waybill.spring.PayloadJson;
import io.waybill.spring.RelayLifecycle;
import io.waybill.spring.TransactionalOutbox;
import io.waybill.spring.WaybillProperties;
import io.waybill.spring.internal.start.ServiceName;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import tools.jackson.databind.json.JsonMapper;

/** Configures what the writer needs on every kind of database: its headers, its payloads, its listener and the envelope. */
@AutoConfiguration(
        after = OutboxAutoConfiguration.class,
        afterName = "io.waybill.spring.internal.mongo.MongoAutoConfiguration")
@ConditionalOnBean(StoredOutbox.class)
public class WriterAutoConfiguration {

    /**
     * Excludes background beans from spring.main.lazy-initialization. Otherwise they would never be created, because no other
     * bean needs them.
     */
    @Bean
    static LazyInitializationExcludeFilter waybillIsNeverLazy() {
        return LazyInitializationExcludeFilter.forBeanTypes(
                OutboxEventListener.class, InboxConsumer.class, RelayLifecycle.class);
    }

    @Bean
    static CommitWatch waybillCommitWatch() {
        return new CommitWatch();
    }

    @Bean
    InheritedHeaders waybillInheritedHeaders(ObjectProvider<EventHeaders> sources) {
        return new InheritedHeaders(sources.orderedStream().toList());
    }

    @Bean
    @ConditionalOnMissingBean
    PayloadJson waybillPayloadJson(ObjectProvider<JsonMapper> mapper) {
        return new JacksonJson(mapper.getIfUnique(() -> JsonMapper.builder().build()));
    }

    @Bean
    @ConditionalOnMissingBean
    EventFactory waybillEventFactory(PayloadJson json) {
        return new EventFactory(json);
    }

    @Bean
    OutboxEventListener waybillOutboxEventListener(TransactionalOutbox outbox, EventFactory factory) {
        return new OutboxEventListener(outbox, factory);
    }

    @Bean
    @ConditionalOnMissingBean
    Envelope waybillEnvelope(WaybillProperties properties, Environment environment) {
        return Envelope.standard(ServiceName.ofSource(properties.source(), environment));
    }
}

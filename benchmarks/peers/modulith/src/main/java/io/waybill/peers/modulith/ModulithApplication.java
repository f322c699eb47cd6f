package io.waybill.peers.modulith;

import java.util.Map;
import java.util.concurrent.Executor;
import org.apache.kafka.common.serialization.StringSerializer;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.RoutingTarget;
import org.springframework.scheduling.annotation.AsyncConfigurer;
import org.springframework.scheduling.annotation.EnableAsync;

/** The application. */
@SpringBootConfiguration
@EnableAutoConfiguration
@EnableAsync
public class ModulithApplication implements AsyncConfigurer {
    private final GatedExecutor executor = new GatedExecutor(ModulithPeer.THREADS);

    @Bean(name = "applicationTaskExecutor")
    GatedExecutor executor() {
        return executor;
    }

    @Override
    public Executor getAsyncExecutor() {
        return executor;
    }

    @Bean
    EventExternalizationConfiguration externalization(@Value("${bench.topic}") String topic) {
        return EventExternalizationConfiguration.externalizing()
                .select(EventExternalizationConfiguration.annotatedAsExternalized())
                .mapping(Order.class, Order::json)
                .route(Order.class, order -> RoutingTarget.forTarget(topic).andKey(order.aggregateId()))
                .build();
    }

    @Bean
    KafkaTemplate<Object, Object> template(@Value("${spring.kafka.bootstrap-servers}") String bootstrap) {
        return new KafkaTemplate<>(new DefaultKafkaProducerFactory<>(Map.of(
                "bootstrap.servers",
                bootstrap,
                "acks",
                "all",
                "linger.ms",
                0,
                "batch.size",
                128 * 1024,
                "compression.type",
                "lz4",
                "key.serializer",
                StringSerializer.class,
                "value.serializer",
                StringSerializer.class)));
    }
}

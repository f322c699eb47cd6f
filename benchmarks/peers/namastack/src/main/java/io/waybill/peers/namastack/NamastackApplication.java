package io.waybill.peers.namastack;

import io.namastack.outbox.handler.OutboxHandler;
import io.namastack.outbox.handler.OutboxRecordMetadata;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.scheduling.annotation.EnableScheduling;

/** The application. Its handler waits for each record, like the handler of the Kafka module. */
@SpringBootConfiguration
@EnableAutoConfiguration
@EnableScheduling
public class NamastackApplication {
    @Bean
    KafkaTemplate<String, String> template(@Value("${spring.kafka.bootstrap-servers}") String bootstrap) {
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

    @Bean
    OutboxHandler sender(KafkaTemplate<String, String> template, @Value("${bench.topic}") String topic) {
        return new OutboxHandler() {
            @Override
            public boolean supports(Object payload, OutboxRecordMetadata metadata) {
                return payload instanceof Order;
            }

            @Override
            public void handle(Object payload, OutboxRecordMetadata metadata) {
                try {
                    template.send(new ProducerRecord<>(topic, metadata.getKey(), ((Order) payload).json()))
                            .get();
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }
        };
    }
}

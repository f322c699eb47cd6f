package io.waybill.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.waybill.transport.Failure;
import io.waybill.transport.Failure.Kind;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.BufferExhaustedException;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.BrokerNotAvailableException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.KafkaStorageException;
import org.apache.kafka.common.errors.LeaderNotAvailableException;
import org.apache.kafka.common.errors.NetworkException;
import org.apache.kafka.common.errors.NotEnoughReplicasAfterAppendException;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownServerException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.errors.UnsupportedForMessageFormatException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class KafkaErrorTest {
    static Stream<Arguments> exceptions() {
        return Stream.of(
                arguments(new RecordTooLargeException("x"), Kind.PERMANENT, false),
                arguments(new InvalidTopicException("x"), Kind.PERMANENT, false),
                arguments(new InvalidRecordException("x"), Kind.PERMANENT, false),
                arguments(new SerializationException("x"), Kind.PERMANENT, false),
                arguments(new UnknownTopicOrPartitionException("x"), Kind.DESTINATION, false),
                arguments(new TopicAuthorizationException("x"), Kind.DESTINATION, false),
                arguments(new UnsupportedForMessageFormatException("x"), Kind.DESTINATION, false),
                arguments(new UnknownServerException("x"), Kind.TRANSIENT, false),
                arguments(new IllegalArgumentException("x"), Kind.TRANSIENT, false),
                arguments(new TimeoutException("x"), Kind.OUTAGE, false),
                arguments(new BufferExhaustedException("x"), Kind.OUTAGE, false),
                arguments(new NetworkException("x"), Kind.OUTAGE, false),
                arguments(new DisconnectException("x"), Kind.OUTAGE, false),
                arguments(new NotEnoughReplicasException("x"), Kind.OUTAGE, false),
                arguments(new NotEnoughReplicasAfterAppendException("x"), Kind.OUTAGE, false),
                arguments(new LeaderNotAvailableException("x"), Kind.OUTAGE, false),
                arguments(new NotLeaderOrFollowerException("x"), Kind.OUTAGE, false),
                arguments(new BrokerNotAvailableException("x"), Kind.OUTAGE, false),
                arguments(new KafkaStorageException("x"), Kind.OUTAGE, false),
                arguments(new SaslAuthenticationException("x"), Kind.OUTAGE, true),
                arguments(new SslAuthenticationException("x"), Kind.OUTAGE, true),
                arguments(new ClusterAuthorizationException("x"), Kind.OUTAGE, true),
                arguments(new UnsupportedVersionException("x"), Kind.OUTAGE, true),
                arguments(new ProducerFencedException("x"), Kind.OUTAGE, true),
                arguments(new InvalidProducerEpochException("x"), Kind.OUTAGE, true),
                arguments(new OutOfOrderSequenceException("x"), Kind.OUTAGE, true),
                arguments(new KafkaException("Producer is closed forcefully."), Kind.OUTAGE, true),
                arguments(new IllegalStateException("x"), Kind.OUTAGE, true));
    }

    @ParameterizedTest
    @MethodSource("exceptions")
    void everyExceptionIsClassified(Exception exception, Kind kind, boolean clientUnusable) {
        KafkaError error = KafkaError.of(exception);
        assertThat(error.kind()).isEqualTo(kind);
        assertThat(error.clientUnusable()).isEqualTo(clientUnusable);
        assertThat(error.remedy()).endsWith(".");
    }

    @Test
    void anInterruptedSendIsAnOutageOfAUsableClient() {
        KafkaError error = KafkaError.of(new InterruptException("x"));
        assertThat(Thread.interrupted())
                .as("the client sets the interrupt flag again")
                .isTrue();
        assertThat(error)
                .extracting(KafkaError::kind, KafkaError::clientUnusable)
                .containsExactly(Kind.OUTAGE, false);
    }

    @Test
    void aTimeoutCausedByAMissingTopicIsNoOutage() {
        Exception missing = new TimeoutException(
                "Topic x not present in metadata after 100 ms.", new UnknownTopicOrPartitionException("unknown"));
        assertThat(KafkaError.of(missing).kind()).isEqualTo(Kind.DESTINATION);
    }

    @Test
    void theReasonNamesTheEventTheBrokerTheErrorAndTheRemedy() {
        Exception error = new TopicAuthorizationException("Not authorized to access topics: [orders]");
        Failure failure = KafkaError.of(error).failure("event 42 (topic orders, key 7)", "kafka-1:9092", error);
        assertThat(failure.reason())
                .isEqualTo("Kafka at kafka-1:9092 did not accept event 42 (topic orders, key 7): "
                        + "TopicAuthorizationException: Not authorized to access topics: [orders]."
                        + " Allow the relay's user to write to the topic.");
    }
}

package io.waybill.kafka;

import static java.util.Objects.requireNonNull;

import io.waybill.transport.Failure;
import io.waybill.transport.Failure.Kind;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.producer.BufferExhaustedException;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.BrokerNotAvailableException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.CoordinatorLoadInProgressException;
import org.apache.kafka.common.errors.CoordinatorNotAvailableException;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidMetadataException;
import org.apache.kafka.common.errors.InvalidPidMappingException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.KafkaStorageException;
import org.apache.kafka.common.errors.NetworkException;
import org.apache.kafka.common.errors.NotCoordinatorException;
import org.apache.kafka.common.errors.NotEnoughReplicasAfterAppendException;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.TransactionalIdAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.errors.UnsupportedForMessageFormatException;
import org.apache.kafka.common.errors.UnsupportedVersionException;

/**
 * What an exception of Kafka's client means for the event: whose fault it is, what a person can do, and whether the
 * client can be used after it.
 *
 * <p>What an operator can repair without touching the event is never PERMANENT. What hits every event alike is an
 * OUTAGE, because else a wrong password would turn a backlog into dead letters.
 */
record KafkaError(Kind kind, boolean clientUnusable, String remedy) {
    private record Row(Class<? extends Throwable> type, KafkaError refusal) {}

    /** The first row that fits decides, so subclasses stand above their parents. */
    private static final List<Row> TABLE = List.of(
            // the message
            row(RecordTooLargeException.class, Kind.PERMANENT, "Make the payload smaller, or raise the limits."),
            row(RecordBatchTooLargeException.class, Kind.PERMANENT, "Make the payload smaller, or raise the limits."),
            row(InvalidTopicException.class, Kind.PERMANENT, "Correct the event's topic."),
            row(
                    InvalidRecordException.class,
                    Kind.PERMANENT,
                    "Compare the event with what the topic's settings allow."),
            row(SerializationException.class, Kind.PERMANENT, "Check the interceptors that are set for the client."),
            // the topic
            row(
                    UnknownTopicOrPartitionException.class,
                    Kind.DESTINATION,
                    "Create the topic, or correct the event's topic if it is misspelt."),
            row(TopicAuthorizationException.class, Kind.DESTINATION, "Allow the relay's user to write to the topic."),
            row(
                    UnsupportedForMessageFormatException.class,
                    Kind.DESTINATION,
                    "Raise the topic's message format: the old one cannot carry headers."),
            row(PolicyViolationException.class, Kind.DESTINATION, "Compare the topic with the cluster's policy."),
            // the client: it has lost its right or its place in the sequence, only a new one can go on
            lost(AuthenticationException.class, "Check the user, the password and the certificates of the relay."),
            lost(ClusterAuthorizationException.class, "Allow the relay's user IdempotentWrite on the cluster."),
            lost(TransactionalIdAuthorizationException.class, "Remove what makes the client transactional."),
            lost(UnsupportedVersionException.class, "Use Kafka 2.1 or newer."),
            lost(ProducerFencedException.class, "The client is replaced; nothing is to be done."),
            lost(InvalidProducerEpochException.class, "The client is replaced; nothing is to be done."),
            lost(InvalidPidMappingException.class, "The client is replaced; nothing is to be done."),
            lost(
                    OutOfOrderSequenceException.class,
                    "The client is replaced; if it happens often, look for lost data in the broker's log."),
            lost(IllegalStateException.class, "The client is replaced; nothing is to be done."),
            // the broker
            row(BufferExhaustedException.class, Kind.OUTAGE, "The broker takes less than is sent: look at its load."),
            row(TimeoutException.class, Kind.OUTAGE, "See whether the broker runs and can be reached."),
            row(NetworkException.class, Kind.OUTAGE, "See whether the broker runs and can be reached."),
            row(DisconnectException.class, Kind.OUTAGE, "See whether the broker runs and can be reached."),
            row(NotEnoughReplicasException.class, Kind.OUTAGE, "Bring the missing replicas of the topic back."),
            row(
                    NotEnoughReplicasAfterAppendException.class,
                    Kind.OUTAGE,
                    "Bring the missing replicas of the topic back."),
            row(KafkaStorageException.class, Kind.OUTAGE, "Look at the disk of the broker."),
            row(InvalidMetadataException.class, Kind.OUTAGE, "Wait for the partition's new leader."),
            row(BrokerNotAvailableException.class, Kind.OUTAGE, "See whether the broker runs and can be reached."),
            row(CoordinatorNotAvailableException.class, Kind.OUTAGE, "Wait for the cluster to settle."),
            row(CoordinatorLoadInProgressException.class, Kind.OUTAGE, "Wait for the cluster to settle."),
            row(NotCoordinatorException.class, Kind.OUTAGE, "Wait for the cluster to settle."),
            row(InterruptException.class, Kind.OUTAGE, "It is sent again when the relay goes on."),
            // the rest
            row(ApiException.class, Kind.TRANSIENT, "Look into the broker's log."),
            lost(KafkaException.class, "The client is replaced; nothing is to be done."),
            row(Throwable.class, Kind.TRANSIENT, "Look into the relay's log."));

    static KafkaError of(Throwable error) {
        Throwable cause = cause(error);
        return TABLE.stream()
                .filter(row -> row.type().isInstance(cause))
                .findFirst()
                .orElseThrow()
                .refusal();
    }

    /** The whole story for a person: which event, where, what Kafka said, what to do. */
    Failure failure(String event, String broker, Throwable error) {
        return new Failure(
                kind, "Kafka at " + broker + " did not take " + event + ": " + describe(error) + " " + remedy);
    }

    /** The exception in one line, as a sentence. */
    static String describe(Throwable error) {
        Throwable cause = cause(error);
        String text = String.valueOf(cause.getMessage()).strip().replaceAll("\\s+", " ");
        String name = cause.getClass().getSimpleName();
        return name + (cause.getMessage() == null ? "." : ": " + text + (text.endsWith(".") ? "" : "."));
    }

    /**
     * A missing topic shows as a time-out: the client waits for it to appear, in the hope that the broker creates it. The
     * cause tells this silence from the silence of a broker that is gone.
     */
    private static Throwable cause(Throwable error) {
        boolean knowsMore = (error instanceof TimeoutException && error.getCause() instanceof ApiException)
                || (error instanceof ExecutionException && error.getCause() != null);
        return knowsMore ? cause(requireNonNull(error.getCause())) : error;
    }

    private static Row row(Class<? extends Throwable> type, Kind kind, String remedy) {
        return new Row(type, new KafkaError(kind, false, remedy));
    }

    private static Row lost(Class<? extends Throwable> type, String remedy) {
        return new Row(type, new KafkaError(Kind.OUTAGE, true, remedy));
    }
}

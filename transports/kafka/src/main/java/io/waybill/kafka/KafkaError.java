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
 * Classifies an exception of Kafka's client: the kind of failure, whether the client remains usable, and the remedy.
 *
 * <p>If an operator can correct an error without changing the event, the error is not PERMANENT. An error that affects all events
 * is an OUTAGE; otherwise a wrong password would turn a backlog into dead letters.
 */
record KafkaError(Kind kind, boolean clientUnusable, String remedy) {
    private record Row(Class<? extends Throwable> type, KafkaError error) {}

    /** The first matching row wins, so subclasses come before their superclasses. */
    private static final List<Row> TABLE = List.of(
            // the message
            row(RecordTooLargeException.class, Kind.PERMANENT, "Make the payload smaller, or raise the limits."),
            row(RecordBatchTooLargeException.class, Kind.PERMANENT, "Make the payload smaller, or raise the limits."),
            row(InvalidTopicException.class, Kind.PERMANENT, "Correct the event's topic."),
            row(InvalidRecordException.class, Kind.PERMANENT, "Compare the event with the topic's settings."),
            row(SerializationException.class, Kind.PERMANENT, "Check the configured interceptors."),
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
            // the client: it has lost its authorization or its place in the sequence and must be replaced
            unusable(AuthenticationException.class, "Check the user, the password and the certificates of the relay."),
            unusable(ClusterAuthorizationException.class, "Allow the relay's user IdempotentWrite on the cluster."),
            unusable(
                    TransactionalIdAuthorizationException.class,
                    "Remove the settings that make the client transactional."),
            unusable(UnsupportedVersionException.class, "Use Kafka 3.9 or newer."),
            unusable(ProducerFencedException.class, "The client is replaced; no action is needed."),
            unusable(InvalidProducerEpochException.class, "The client is replaced; no action is needed."),
            unusable(InvalidPidMappingException.class, "The client is replaced; no action is needed."),
            unusable(
                    OutOfOrderSequenceException.class,
                    "The client is replaced; if this happens often, check the broker's log for lost data."),
            unusable(IllegalStateException.class, "The client is replaced; no action is needed."),
            // the broker
            row(BufferExhaustedException.class, Kind.OUTAGE, "The broker is slower than the relay: check its load."),
            row(TimeoutException.class, Kind.OUTAGE, "Check that the broker is running and can be reached."),
            row(NetworkException.class, Kind.OUTAGE, "Check that the broker is running and can be reached."),
            row(DisconnectException.class, Kind.OUTAGE, "Check that the broker is running and can be reached."),
            row(NotEnoughReplicasException.class, Kind.OUTAGE, "Bring the missing replicas of the topic back."),
            row(
                    NotEnoughReplicasAfterAppendException.class,
                    Kind.OUTAGE,
                    "Bring the missing replicas of the topic back."),
            row(KafkaStorageException.class, Kind.OUTAGE, "Check the disk of the broker."),
            row(InvalidMetadataException.class, Kind.OUTAGE, "Wait for the partition's new leader."),
            row(BrokerNotAvailableException.class, Kind.OUTAGE, "Check that the broker is running and can be reached."),
            row(CoordinatorNotAvailableException.class, Kind.OUTAGE, "Wait for the cluster to settle."),
            row(CoordinatorLoadInProgressException.class, Kind.OUTAGE, "Wait for the cluster to settle."),
            row(NotCoordinatorException.class, Kind.OUTAGE, "Wait for the cluster to settle."),
            row(InterruptException.class, Kind.OUTAGE, "The relay sends it again."),
            // all other errors
            row(ApiException.class, Kind.TRANSIENT, "See the broker's log."),
            unusable(KafkaException.class, "The client is replaced; no action is needed."),
            row(Throwable.class, Kind.TRANSIENT, "See the relay's log."));

    static KafkaError of(Throwable error) {
        Throwable cause = cause(error);
        return TABLE.stream()
                .filter(row -> row.type().isInstance(cause))
                .findFirst()
                .orElseThrow()
                .error();
    }

    /** Returns the failure with a reason that names the event, the broker, the error and the remedy. */
    Failure failure(String event, String broker, Throwable error) {
        return new Failure(
                kind, "Kafka at " + broker + " did not accept " + event + ": " + describe(error) + " " + remedy);
    }

    /** Returns the exception as a sentence in one line. */
    static String describe(Throwable error) {
        Throwable cause = cause(error);
        String text = String.valueOf(cause.getMessage()).strip().replaceAll("\\s+", " ");
        String name = cause.getClass().getSimpleName();
        return name + (cause.getMessage() == null ? "." : ": " + text + (text.endsWith(".") ? "" : "."));
    }

    /**
     * Unwraps the exception. A missing topic causes a timeout, because the client waits for the broker to create it; the cause
     * distinguishes this timeout from the timeout of an unreachable broker.
     */
    private static Throwable cause(Throwable error) {
        boolean causeIsMoreSpecific = (error instanceof TimeoutException && error.getCause() instanceof ApiException)
                || (error instanceof ExecutionException && error.getCause() != null);
        return causeIsMoreSpecific ? cause(requireNonNull(error.getCause())) : error;
    }

    private static Row row(Class<? extends Throwable> type, Kind kind, String remedy) {
        return new Row(type, new KafkaError(kind, false, remedy));
    }

    private static Row unusable(Class<? extends Throwable> type, String remedy) {
        return new Row(type, new KafkaError(Kind.OUTAGE, true, remedy));
    }
}

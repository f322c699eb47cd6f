package io.waybill.testkit.transport;

import io.waybill.transport.Transport;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * A real broker that a contract test can kill, freeze and disconnect. Messages are read back with a plain client of the
 * broker, never with Waybill's own.
 */
public interface BreakableBroker extends AutoCloseable {

    /** Features that not all brokers have. A test that needs a missing feature is skipped. */
    enum Capability {
        /** The broker rejects bodies above a size. */
        SIZE_LIMIT,
        /** Some topic names are illegal. */
        ILLEGAL_TOPICS,
        /** The broker rejects messages to a topic that was not created. */
        MISSING_TOPICS,
        /** For a limited time, the broker stores only the first message with the same id. */
        DEDUPLICATION
    }

    Set<Capability> capabilities();

    /** The address for clients, which leads through the proxy. */
    String address();

    /** Returns a new transport to this broker, which the test closes. The broker need not run. */
    Transport connect(Duration sendTimeout);

    void createTopic(String name);

    /**
     * Returns all messages of the topic, in order within a key, once there are at least this many. If they do not arrive in
     * time, returns those that have arrived.
     */
    List<ReceivedMessage> read(String topic, int expectedCount);

    /** The largest body that the broker accepts; only with {@link Capability#SIZE_LIMIT}. */
    int sizeLimit();

    /** Topic names that the broker rejects; only with {@link Capability#ILLEGAL_TOPICS}. */
    List<String> illegalTopics();

    /** Kills the broker (SIGKILL). */
    void kill();

    /** Closes all client connections and refuses new ones; the broker keeps running. */
    void cutOff();

    /** Freezes the broker (SIGSTOP). */
    void suspend();

    /** Drops all data from the broker to its clients; requests still reach the broker. */
    void dropAnswers();

    /** Delays all data between the broker and its clients by this much. */
    void slowDown(Duration delay);

    /** Ends all faults and returns when the broker accepts connections. */
    void heal();

    @Override
    void close();
}

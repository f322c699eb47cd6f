package io.waybill.testkit.transport;

import io.waybill.transport.Transport;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * A real broker that belongs to one contract test alone, which kills and freezes it. It takes nothing on trust: what
 * arrived is read with a plain client of the broker, never with Waybill's.
 */
public interface BreakableBroker extends AutoCloseable {

    /** Where brokers differ; a test that needs what a broker lacks is skipped. */
    enum Capability {
        /** Refuses bodies above a size. */
        SIZE_LIMIT,
        /** Knows names that no topic may have. */
        ILLEGAL_TOPICS,
        /** Refuses a topic that nobody has created. */
        MISSING_TOPICS,
        /** Keeps one message of those that come with the same id, for a while. */
        DEDUPLICATION
    }

    Set<Capability> capabilities();

    /** Where clients find it: through the proxy that can break their connections. */
    String address();

    /** A new transport to this broker; the test closes it. Works, too, while the broker does not run. */
    Transport connect(Duration sendTimeout);

    void createTopic(String name);

    /**
     * Everything on the topic, in order within a key, as soon as there are this many messages; when they do not come, what
     * there is after a while.
     */
    List<ReceivedMessage> read(String topic, int expectedCount);

    /** A body that is too large for any topic is one byte longer than this; with {@link Capability#SIZE_LIMIT}. */
    int sizeLimit();

    /** With {@link Capability#ILLEGAL_TOPICS}. */
    List<String> illegalTopics();

    /** SIGKILL. */
    void kill();

    /** Closes all connections and refuses new ones: for its clients it is away. */
    void cutOff();

    /** SIGSTOP. */
    void suspend();

    /** Swallows all answers: the broker does its work and no client hears of it. */
    void dropAnswers();

    /** Holds everything between the broker and its clients back for this long. */
    void slowDown(Duration delay);

    /** Ends every fault and returns when the broker serves. */
    void heal();

    @Override
    void close();
}

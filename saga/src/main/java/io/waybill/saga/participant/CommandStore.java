package io.waybill.saga.participant;

import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the commands that a participant has executed.
 *
 * @param <T> the type of a transaction
 */
public interface CommandStore<T> {

    /** What a participant knows about a command. */
    enum State {
        /** Executed; the stored reply is its answer. */
        DONE,
        /** Refused without effect; the stored reply is its answer. */
        REFUSED,
        /** Executed and undone; the stored reply is the answer to the compensation. */
        COMPENSATED,
        /** The compensation came first: the command must not be executed any more. */
        TOMBSTONE
    }

    /** @param payload JSON */
    record StoredReply(String type, String key, String payload) {}

    record Known(State state, @Nullable StoredReply reply) {}

    /**
     * Records a command that is new, and returns what is known about one that is not. Locks the command until the end of the
     * transaction. Waits while another transaction works on the same command.
     *
     * @param group the participant; several may get the same command
     */
    Optional<Known> putIfAbsent(T transaction, String group, UUID command, State state);

    void update(T transaction, String group, UUID command, State state, @Nullable StoredReply reply);

    /** Removes at most {@code limit} commands that are older than {@code age}. */
    int prune(String group, Duration age, int limit);
}

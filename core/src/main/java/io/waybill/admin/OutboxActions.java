package io.waybill.admin;

import io.waybill.WaybillException;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Operator actions on an outbox. Each call is one transaction, which also writes its audit row. An action with an id always
 * writes an audit row; an action without an id does so only if it changed something.
 *
 * <p>Methods that change several events skip those to which the action does not apply, and return the changed ones. Methods that
 * concern one event or one key throw an {@link ActionRefusedException} if the action does not apply.
 */
public interface OutboxActions {
    /** Maximum number of events that one call changes. {@link BulkOperations} changes any number. */
    int LARGEST_BULK = DeadLetters.LARGEST_BULK;

    /** See {@link DeadLetters#replay}. */
    ActionResult replay(List<UUID> ids, Action action);

    /** See {@link DeadLetters#replayTo}. */
    ActionResult replayTo(String topic, List<UUID> ids, Action action);

    /** See {@link DeadLetters#discard}. */
    ActionResult discard(List<UUID> ids, Action action);

    /** Makes events that wait for a retry due now, together with earlier events of their keys. Keeps the number of attempts. */
    ActionResult retryNow(List<UUID> ids, Action action);

    /**
     * Discards the first open event of a key, which waits for a retry or is a dead letter that blocks the key. The key continues with
     * its next event.
     *
     * @throws ActionRefusedException if the event does not block its key, or if a relay is sending it now
     */
    ActionResult skip(UUID id, Action action);

    /**
     * Lets a key continue although a dead letter blocks it. The dead letter stays a dead letter.
     *
     * @return the dead letters that blocked the key
     * @throws ActionRefusedException if no dead letter blocks the key
     */
    ActionResult releaseKey(String key, Action action);

    /**
     * Appends a corrected copy of an event and discards the original. The copy has a new id and the header {@link Correction#HEADER}.
     * It is the last event of its key: events that wait behind the original are published first. The copy keeps type, key and topic.
     *
     * @return the id of the copy
     * @throws ActionRefusedException if the event is neither a dead letter nor waits for a retry, or if its content is not
     *     the content that the operator has edited
     * @throws WaybillException also if a header is not valid, or if the database validates JSON and the payload is not valid
     */
    ActionResult editAndReplay(Correction correction, Action action);

    /**
     * Pauses relays, or the events of a topic, a type or a key. A pause of the same scope and value is replaced.
     *
     * @param until when the pause ends by itself, by the clock of the database; null if an operator ends it
     */
    ActionResult pause(OutboxPause.Scope scope, String value, @Nullable Instant until, Action action);

    /**
     * Ends a pause. Within a second, relays make the held events due.
     *
     * @throws ActionRefusedException if there is no such pause
     */
    ActionResult resume(OutboxPause.Scope scope, String value, Action action);

    /**
     * Records that an action was refused before it was executed, for example because the actor lacks a permission.
     *
     * @param name the name of the action, as in {@link AuditEntry#action}
     * @param detail what the action concerned; null if that is unknown
     */
    void recordRefusal(String name, @Nullable String detail, Action action);

    /**
     * Records that the actor has looked at the payload of an event. The action is {@code view-payload}; it changes no event.
     *
     * @param event the id of the event, which becomes the detail of the audit row
     */
    void recordView(UUID event, Action action);
}

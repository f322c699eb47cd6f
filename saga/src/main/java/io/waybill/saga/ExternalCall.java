package io.waybill.saga;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One attempt of a call outside of all transactions.
 *
 * @param idempotencyKey the same for every attempt. Pass it to the called service: if the process crashes after the call and before
 *     its result is recorded, the call is repeated
 * @param attempt counts from 1
 * @param compensates only in compensations of calls: the idempotency key of the call to undo. If the result of that call is unknown,
 *     the data may lack it, and the call may arrive after its compensation. The called service must then refuse that late call
 */
public record ExternalCall(
        UUID sagaId,
        String step,
        String idempotencyKey,
        int attempt,
        @Nullable String compensates) {}

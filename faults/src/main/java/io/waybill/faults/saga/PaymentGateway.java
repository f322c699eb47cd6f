package io.waybill.faults.saga;

import io.waybill.saga.RefusedException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.BiConsumer;

/**
 * A service that is called outside of transactions. It charges once for each idempotency key, and refuses a key that was voided.
 * Without a key that stays the same it would charge twice.
 */
final class PaymentGateway {
    private final SplittableRandom random;
    private final boolean remembersRefusals;
    private final Map<String, String> charged = new HashMap<>();
    private final Set<String> refused = new HashSet<>();
    private final Set<String> voided = new HashSet<>();

    private final BiConsumer<String, String> effects;

    /** @param effects records an effect, with the key of its order */
    PaymentGateway(SplittableRandom random, BiConsumer<String, String> effects) {
        this.random = random;
        this.effects = effects;
        this.remembersRefusals = random.nextInt(2) == 0;
    }

    /** Whether a refused key stays refused, so that a call may also arrive after the answer to a later attempt. */
    boolean remembersRefusals() {
        return remembersRefusals;
    }

    void charge(String order, String key) {
        if (charged.containsKey(key)) {
            return;
        }
        if (voided.contains(key) || refused.contains(key) || random.nextInt(6) == 0) {
            if (remembersRefusals) {
                refused.add(key);
            }
            throw new RefusedException("no funds");
        }
        charged.put(key, order);
        effects.accept("did.charge", order);
    }

    void refund(String key) {
        String order = charged.get(key);
        if (voided.add(key) && order != null) {
            effects.accept("undid.charge", order);
        }
    }
}

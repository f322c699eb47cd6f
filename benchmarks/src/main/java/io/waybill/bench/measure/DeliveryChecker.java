package io.waybill.bench.measure;

import io.waybill.bench.load.Load;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Compares the received with the committed events, which are numbered from 0 to {@code events} and ascend within each key. */
public final class DeliveryChecker {
    private final int events;
    private final boolean ordered;
    private final BitSet seen;
    private final Map<String, Long> latest = new HashMap<>();
    private long records;
    private long ghosts;
    private long duplicates;
    private long misordered;
    private long wrongKey;

    public DeliveryChecker(int events, boolean ordered) {
        this.events = events;
        this.ordered = ordered;
        this.seen = new BitSet(events);
    }

    public void see(@Nullable String recordKey, String message) {
        records++;
        long number = Load.numberIn(message);
        if (number < 0 || number >= events) {
            ghosts++;
            return;
        }
        if (seen.get((int) number)) {
            duplicates++;
            return;
        }
        seen.set((int) number);
        String key = Load.keyIn(message);
        if (!key.equals(recordKey)) {
            wrongKey++;
        }
        Long before = latest.put(key, number);
        if (ordered && before != null && before > number) {
            misordered++;
        }
    }

    public DeliveryCheck verdict() {
        return new DeliveryCheck(
                events, records, events - seen.cardinality(), ghosts, duplicates, misordered, wrongKey);
    }
}

package io.waybill.bench.measure;

import java.util.ArrayList;
import java.util.List;

/**
 * The result of the check of a run's topic.
 *
 * @param lost committed and not there
 * @param ghosts there and never committed
 * @param misordered behind a later event of its key; counted only where order per key is promised
 * @param wrongKey with another key than its writer gave it
 */
public record DeliveryCheck(
        long expected, long records, long lost, long ghosts, long duplicates, long misordered, long wrongKey) {
    public static final DeliveryCheck NOTHING_SENT = new DeliveryCheck(0, 0, 0, 0, 0, 0, 0);

    /** Duplicates are allowed, and shown. */
    public boolean passed() {
        return lost == 0 && ghosts == 0 && misordered == 0 && wrongKey == 0;
    }

    @Override
    public String toString() {
        List<String> faults = new ArrayList<>();
        add(faults, lost, "lost");
        add(faults, ghosts, "never committed");
        add(faults, misordered, "out of order");
        add(faults, wrongKey, "with a wrong key");
        add(faults, duplicates, "repeated");
        return faults.isEmpty() ? "ok" : String.join(", ", faults);
    }

    private static void add(List<String> faults, long count, String what) {
        if (count > 0) {
            faults.add(String.format("%,d %s", count, what));
        }
    }
}

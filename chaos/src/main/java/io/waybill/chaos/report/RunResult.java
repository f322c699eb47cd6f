package io.waybill.chaos.report;

import io.waybill.chaos.check.Judgement;
import io.waybill.chaos.check.Sample;
import io.waybill.chaos.fault.Happened;
import io.waybill.chaos.world.Shape;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * One run on one engine, from beginning to end.
 *
 * @param length how long things were broken
 * @param restarts how often the process of a place has ended by itself
 * @param command replays the schedule
 */
public record RunResult(
        String engine,
        long seed,
        Instant at,
        Duration length,
        Shape shape,
        List<Happened> happened,
        List<Sample> samples,
        Map<String, Integer> restarts,
        Judgement judgement,
        Path folder,
        String command) {

    /** How often each fault happened. */
    public Map<String, Integer> byFault() {
        Map<String, Integer> counts = new TreeMap<>();
        happened.forEach(fault -> counts.merge(fault.planned().fault().name(), 1, Integer::sum));
        return counts;
    }
}

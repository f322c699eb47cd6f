package io.waybill.chaos.report;

import io.waybill.chaos.check.CheckResult;
import io.waybill.chaos.check.Sample;
import io.waybill.chaos.cluster.ClusterSize;
import io.waybill.chaos.schedule.InjectedFault;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The result of a run on one engine.
 *
 * @param length the duration of the fault schedule
 * @param restarts the number of unexpected ends of each process
 * @param command the command line that repeats the schedule
 */
public record RunResult(
        String engine,
        long seed,
        Instant at,
        Duration length,
        ClusterSize size,
        List<InjectedFault> faults,
        List<Sample> samples,
        Map<String, Integer> restarts,
        CheckResult result,
        Path folder,
        String command) {

    /** Returns the number of occurrences of each fault. */
    public Map<String, Integer> byFault() {
        Map<String, Integer> counts = new TreeMap<>();
        faults.forEach(fault -> counts.merge(fault.planned().fault().name(), 1, Integer::sum));
        return counts;
    }
}

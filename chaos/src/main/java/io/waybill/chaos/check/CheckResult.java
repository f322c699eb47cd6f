package io.waybill.chaos.check;

import io.waybill.processes.SagaWorkload;
import java.util.List;

/** The counts and the checked invariants of a run. */
public record CheckResult(RunCounts counts, SagaWorkload.Verdict sagas, List<Finding> findings) {
    public boolean clean() {
        return findings.stream().noneMatch(Finding::violated);
    }
}

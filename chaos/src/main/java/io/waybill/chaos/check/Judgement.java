package io.waybill.chaos.check;

import java.util.List;

/** What a run amounted to. */
public record Judgement(Tally tally, List<Finding> findings) {
    public boolean clean() {
        return findings.stream().noneMatch(Finding::broken);
    }
}

package io.waybill.bench;

import io.waybill.bench.report.Section;

/** A benchmark scenario. */
interface Scenario {
    /** The presentation of the results. */
    Section section();

    void run(BenchContext context) throws Exception;
}

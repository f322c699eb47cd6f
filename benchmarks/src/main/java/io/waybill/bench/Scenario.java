package io.waybill.bench;

import io.waybill.bench.report.Section;

/** Something to measure. */
interface Scenario {
    /** What is measured, and how it is shown. */
    Section section();

    void run(Contest contest) throws Exception;
}

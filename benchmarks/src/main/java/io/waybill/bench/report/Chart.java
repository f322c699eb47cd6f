package io.waybill.bench.report;

import io.waybill.bench.measure.Run;
import java.nio.file.Path;
import java.util.List;

public final class Chart {
    private Chart() {}

    public static void write(Path file, List<Section> sections, List<Run> runs) {}
}

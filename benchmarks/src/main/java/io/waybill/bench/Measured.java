package io.waybill.bench;

/** What a run cost: events per second by the wall clock, and CPU microseconds per event over all processes. */
record Measured(double perSecond, double cpuMicros) {

    /** Begins to measure, after everything has been prepared. */
    static Clock start(CpuTime cpu) {
        return new Clock(cpu, System.nanoTime(), cpu.seconds());
    }

    record Clock(CpuTime cpu, long startNanos, double startCpu) {
        Measured stop(int events) {
            double seconds = (System.nanoTime() - startNanos) / 1e9;
            return new Measured(events / seconds, (cpu.seconds() - startCpu) * 1e6 / events);
        }
    }

    @Override
    public String toString() {
        return String.format("%,.0f/s at %.0f µs CPU", perSecond, cpuMicros);
    }
}

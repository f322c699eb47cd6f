package io.waybill.bench.measure;

/** A figure, with its name in tables and in JSON. */
public enum Figure {
    RATE("events/s", "eventsPerSecond", 0),
    SAGAS("sagas/s", "sagasPerSecond", 0),
    COMMITS("commits/saga", "commitsPerSaga", 1),
    WRITTEN("written/s", "writtenPerSecond", 0),
    ARRIVED("arrived/s", "arrivedPerSecond", 0),
    LAG("lag", "lagEvents", 0),
    CATCH_UP("catch-up s", "catchUpSeconds", 2),
    P50("p50 ms", "latencyP50Millis", 1),
    P95("p95 ms", "latencyP95Millis", 1),
    P99("p99 ms", "latencyP99Millis", 1),
    MOST("max ms", "latencyMaxMillis", 1),
    CPU("CPU µs", "cpuMicrosPerEvent", 1),
    CPU_OURS("ours", "cpuMicrosPerEventOurs", 1),
    CPU_POSTGRES("pg", "cpuMicrosPerEventPostgres", 1),
    CPU_KAFKA("kafka", "cpuMicrosPerEventKafka", 1),
    DEAD_ROWS("dead rows", "deadRowsPerEvent", 3),
    RELAY_WAL("relay WAL B", "relayWalBytesPerEvent", 1),
    APPEND_WAL("append WAL B", "appendWalBytesPerEvent", 0),
    INSERT_WAL("INSERT WAL B", "bareInsertWalBytesPerEvent", 0),
    QUERIES("transactions/s", "transactionsPerSecond", 1),
    BUSY("CPU ms/s", "cpuMillisPerSecond", 1),
    BUSY_OURS("ours", "cpuMillisPerSecondOurs", 1),
    BUSY_POSTGRES("pg", "cpuMillisPerSecondPostgres", 1),
    BUSY_KAFKA("kafka", "cpuMillisPerSecondKafka", 1);

    private final String label;
    private final String json;
    private final int decimals;

    Figure(String label, String json, int decimals) {
        this.label = label;
        this.json = json;
        this.decimals = decimals;
    }

    public String label() {
        return label;
    }

    public String json() {
        return json;
    }

    public String format(double value) {
        return Double.isNaN(value) ? "–" : String.format("%,." + decimals + "f", value);
    }
}

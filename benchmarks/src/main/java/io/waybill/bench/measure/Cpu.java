package io.waybill.bench.measure;

/** CPU seconds of this JVM, of PostgreSQL and of Kafka; NaN for a server on another machine. */
public record Cpu(double ours, double postgres, double kafka) {

    public Cpu minus(Cpu earlier) {
        return new Cpu(ours - earlier.ours, postgres - earlier.postgres, kafka - earlier.kafka);
    }

    public Cpu plusOurs(double seconds) {
        return new Cpu(ours + seconds, postgres, kafka);
    }

    public double total() {
        return ours + postgres + kafka;
    }
}

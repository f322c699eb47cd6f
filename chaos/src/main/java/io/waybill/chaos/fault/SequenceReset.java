package io.waybill.chaos.fault;

import com.zaxxer.hikari.HikariDataSource;
import io.waybill.chaos.cluster.Cluster;
import io.waybill.chaos.cluster.ClusterSize;
import io.waybill.jdbc.Engine;
import io.waybill.jdbc.OutboxSchema;
import io.waybill.processes.Outboxes;
import io.waybill.store.StoreException;
import java.time.Duration;
import java.util.Random;
import java.util.Set;

/**
 * The sequence of the journal is reset while writers append. Afterwards the journal is rebased.
 *
 * <p>{@code setval} leaves no trace. A relay detects it only while the sequence is lower than its cursors. So the step is
 * larger than the number of events that writers append before the next claim. A smaller step may go undetected.
 */
final class SequenceReset implements Fault {
    static final String NAME = "sequence-reset";

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private static final String SEQUENCE = "outbox_events_seq_seq";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String description() {
        return "the sequence of the journal is reset, by thousands of numbers or to its start, while writers append; 'schema rebase' repairs it";
    }

    @Override
    public Set<Target> targets() {
        return Set.of(Target.DATABASE);
    }

    @Override
    public boolean concerns(Engine engine) {
        return engine == Engine.JOURNAL;
    }

    @Override
    public Span lasts() {
        return new Span(2, 6);
    }

    @Override
    public Injection draw(Random random, ClusterSize size) {
        boolean restart = random.nextBoolean();
        int back = 2_000 + random.nextInt(8_000);
        return new Injection() {
            @Override
            public String parameters() {
                return restart ? "to its start" : "by " + back;
            }

            @Override
            public void inject(Cluster cluster) throws Exception {
                cluster.database()
                        .execute(
                                restart
                                        ? "ALTER SEQUENCE " + SEQUENCE + " RESTART"
                                        : "SELECT setval('" + SEQUENCE + "', greatest(1, last_value - " + back
                                                + ")) FROM " + SEQUENCE);
            }

            @Override
            public void heal(Cluster cluster) {
                long end = System.nanoTime() + PATIENCE.toNanos();
                while (true) {
                    try (HikariDataSource pool =
                            Outboxes.pool(cluster.database().jdbcUrl(), 1)) {
                        OutboxSchema.rebase(pool);
                        return;
                    } catch (StoreException e) { // as an operator does, run the command again
                        if (System.nanoTime() - end > 0) {
                            throw e;
                        }
                    }
                }
            }

            @Override
            public int interruptions() {
                return size.relays();
            }
        };
    }
}

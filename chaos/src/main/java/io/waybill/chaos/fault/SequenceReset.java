package io.waybill.chaos.fault;

import com.zaxxer.hikari.HikariDataSource;
import io.waybill.chaos.process.Outboxes;
import io.waybill.chaos.world.Shape;
import io.waybill.chaos.world.World;
import io.waybill.jdbc.Engine;
import io.waybill.jdbc.OutboxSchema;
import io.waybill.store.StoreException;
import java.time.Duration;
import java.util.Random;
import java.util.Set;

/**
 * Somebody sets the journal's sequence back while writers write; an operator rebases the journal afterwards.
 *
 * <p>{@code setval} leaves no trace. A relay notices it as long as the sequence is lower than what the cursors have seen. So the step is
 * larger than what writers draw before a relay claims again; a smaller one may go unnoticed.
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
        return "the journal's sequence is set back, by thousands of numbers or to its start, while writers write; 'schema rebase' heals it";
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
    public Injection draw(Random random, Shape shape) {
        boolean restart = random.nextBoolean();
        int back = 2_000 + random.nextInt(8_000);
        return new Injection() {
            @Override
            public String parameters() {
                return restart ? "to its start" : "by " + back;
            }

            @Override
            public void inject(World world) throws Exception {
                world.database()
                        .execute(
                                restart
                                        ? "ALTER SEQUENCE " + SEQUENCE + " RESTART"
                                        : "SELECT setval('" + SEQUENCE + "', greatest(1, last_value - " + back
                                                + ")) FROM " + SEQUENCE);
            }

            @Override
            public void heal(World world) {
                long end = System.nanoTime() + PATIENCE.toNanos();
                while (true) {
                    try (HikariDataSource pool = Outboxes.pool(world.database().jdbcUrl(), 1)) {
                        OutboxSchema.rebase(pool);
                        return;
                    } catch (StoreException e) { // an operator would run the command again
                        if (System.nanoTime() - end > 0) {
                            throw e;
                        }
                    }
                }
            }

            @Override
            public int windows() {
                return shape.relays();
            }
        };
    }
}

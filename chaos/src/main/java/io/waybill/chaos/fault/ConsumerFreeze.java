package io.waybill.chaos.fault;

import io.waybill.chaos.world.Shape;
import io.waybill.chaos.world.World;
import java.util.Random;
import java.util.Set;

/** A consumer that its group takes for dead wakes up and goes on where it was. */
final class ConsumerFreeze implements Fault {
    @Override
    public String name() {
        return "consumer-freeze";
    }

    @Override
    public String description() {
        return "SIGSTOP of a consumer, often for longer than its session, then SIGCONT";
    }

    @Override
    public Set<Target> targets() {
        return Set.of(Target.CONSUMERS);
    }

    @Override
    public Span lasts() {
        return new Span(4, 12);
    }

    @Override
    public Injection draw(Random random, Shape shape) {
        int consumer = random.nextInt(shape.consumers());
        return new Injection() {
            @Override
            public String parameters() {
                return "consumer-" + (consumer + 1);
            }

            @Override
            public void inject(World world) {
                world.consumers().get(consumer).suspend();
            }

            @Override
            public void heal(World world) {
                world.consumers().get(consumer).resume();
            }

            @Override
            public int windows() {
                return 0;
            }
        };
    }
}

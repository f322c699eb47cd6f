package io.waybill.chaos.fault;

import io.waybill.chaos.world.Member;
import io.waybill.chaos.world.Shape;
import io.waybill.chaos.world.World;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Relays come and go, so lanes change hands all the time. */
final class RelayChurn implements Fault {
    @Override
    public String name() {
        return "relay-churn";
    }

    @Override
    public String description() {
        return "one relay after the other is stopped with SIGTERM and started again, every two seconds";
    }

    @Override
    public Set<Target> targets() {
        return Set.of(Target.RELAYS);
    }

    @Override
    public Span lasts() {
        return new Span(6, 10);
    }

    @Override
    public Injection draw(Random random, Shape shape) {
        int first = random.nextInt(shape.relays());
        return new Injection() {
            private @Nullable Background churn;

            @Override
            public String parameters() {
                return "every two seconds, from relay-" + (first + 1);
            }

            @Override
            public void inject(World world) {
                churn = Background.every(2_000, turn -> {
                    Member member = world.relays().get((first + turn) % shape.relays());
                    member.stop();
                    member.start();
                });
            }

            @Override
            public void heal(World world) {
                if (churn != null) {
                    churn.close();
                }
                world.relays().forEach(Member::start);
            }

            @Override
            public int windows() {
                return 0;
            }
        };
    }
}

package io.waybill.chaos.fault;

import io.waybill.chaos.world.Member;
import io.waybill.chaos.world.Shape;
import io.waybill.chaos.world.World;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/** SIGKILL for one process, and a new one in its place when the fault ends. */
record KillMember(
        String name, Target target, ToIntFunction<Shape> count, Function<World, List<Member>> members, int windows)
        implements Fault {

    @Override
    public String description() {
        return "kill -9 of one " + name.substring(0, name.indexOf('-')) + "; another takes its place";
    }

    @Override
    public Set<Target> targets() {
        return Set.of(target);
    }

    @Override
    public Injection draw(Random random, Shape shape) {
        int index = random.nextInt(count.applyAsInt(shape));
        return new Injection() {
            @Override
            public String parameters() {
                return name.replace("-kill", "-" + (index + 1));
            }

            @Override
            public void inject(World world) {
                members.apply(world).get(index).kill();
            }

            @Override
            public void heal(World world) {
                members.apply(world).get(index).start();
            }

            @Override
            public int windows() {
                return windows;
            }
        };
    }
}

package io.waybill.chaos;

import io.waybill.chaos.check.Footprint;
import io.waybill.chaos.check.Judge;
import io.waybill.chaos.check.Judgement;
import io.waybill.chaos.check.Sampler;
import io.waybill.chaos.fault.Fault;
import io.waybill.chaos.fault.Happened;
import io.waybill.chaos.fault.Nemesis;
import io.waybill.chaos.fault.Schedule;
import io.waybill.chaos.process.ChildProcess;
import io.waybill.chaos.process.TransportBug;
import io.waybill.chaos.report.Live;
import io.waybill.chaos.report.RunResult;
import io.waybill.chaos.world.Member;
import io.waybill.chaos.world.Setup;
import io.waybill.chaos.world.Shape;
import io.waybill.chaos.world.World;
import io.waybill.jdbc.Engine;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

/**
 * One run on one engine: make a world, let it work, break it, heal it, let it drain, judge it.
 *
 * @param command replays the schedule
 */
record Run(
        Engine engine,
        long seed,
        Duration length,
        List<Fault> faults,
        Shape shape,
        int keys,
        int rate,
        TransportBug bug,
        Path folder,
        String command) {
    private static final int WARM = 100;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    RunResult carryOut(Live live) throws IOException, SQLException, InterruptedException {
        Instant at = Instant.now();
        live.say("Engine " + engine.label() + ": starting PostgreSQL, Kafka, " + shape.relays() + " relays, "
                + shape.writers() + " writers, " + shape.consumers() + " consumers …");
        Setup setup = new Setup(engine, shape, folder)
                .keys(keys)
                .rate(rate)
                .seed(seed)
                .bug(bug);
        List<Fault> concerned =
                faults.stream().filter(fault -> fault.concerns(engine)).toList();
        concerned.forEach(fault -> fault.prepare(setup));
        try (World world = World.create(setup)) {
            Footprint before = warmUp(world);
            live.heading();
            List<Happened> happened;
            Sampler sampler = Sampler.start(world, live::sampled);
            try (sampler) {
                happened = Nemesis.run(Schedule.draw(seed, length, concerned, shape), world, length, live::begins);
            }
            live.say("Healed; draining and checking …");
            Judgement judgement = Judge.judge(world, happened, before);
            return new RunResult(
                    engine.label(),
                    seed,
                    at,
                    length,
                    shape,
                    happened,
                    sampler.samples(),
                    world.restarts(),
                    judgement,
                    folder,
                    command);
        }
    }

    /** Starts everything and returns when events come through. */
    private static Footprint warmUp(World world) throws IOException, SQLException, InterruptedException {
        List<Member> first = Stream.concat(world.relays().stream(), world.consumers().stream())
                .toList();
        first.forEach(Member::start);
        world.writers().forEach(Member::start);
        for (Member member : world.members()) {
            member.process().ifPresent(ChildProcess::awaitStarted);
        }
        long limit = System.nanoTime() + PATIENCE.toNanos();
        while (world.database().number("SELECT count(*) FROM applied") < WARM) {
            if (System.nanoTime() > limit) {
                throw new IllegalStateException(
                        "Nothing comes through even before anything is broken; see the logs in " + world.logs() + ".");
            }
            Thread.sleep(100);
        }
        return Footprint.of(first);
    }
}

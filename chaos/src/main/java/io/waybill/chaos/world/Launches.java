package io.waybill.chaos.world;

import io.waybill.chaos.process.ChildProcess;
import io.waybill.chaos.process.Commands;
import io.waybill.chaos.process.ConsumerProgram;
import io.waybill.chaos.process.OperatorProgram;
import io.waybill.chaos.process.RelayProgram;
import io.waybill.chaos.process.TransportBug;
import io.waybill.chaos.process.WriterProgram;
import io.waybill.testkit.crash.Crash;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command lines of the world's processes. */
final class Launches {
    /** Short, so that a broker that is away for some seconds is noticed. */
    private static final String SEND_TIMEOUT = "PT6S";

    private static final String LOUD = "-D" + Commands.LOG_LEVEL + "=INFO";

    private final Setup setup;
    private final World world;

    Launches(Setup setup, World world) {
        this.setup = setup;
        this.world = world;
    }

    ChildProcess relay(Member member, int number) throws IOException {
        List<String> options = new ArrayList<>(List.of(
                LOUD,
                "-D" + Crash.PROPERTY + "=" + Crash.LATER,
                "-D" + RelayProgram.SEND_TIMEOUT + "=" + SEND_TIMEOUT));
        if (setup.bug != TransportBug.NONE) {
            options.add("-D" + RelayProgram.BUG + "=" + setup.bug);
        }
        return ChildProcess.run(
                log(member),
                RelayProgram.class,
                options,
                world.database().jdbcUrl(member.link()),
                world.broker().bootstrapServers(number),
                member.name(),
                World.LEASE.toString(),
                setup.engine.name());
    }

    ChildProcess writer(Member member, int number, int incarnation) throws IOException {
        return ChildProcess.run(
                log(member),
                WriterProgram.class,
                List.of(LOUD, "-Xmx64m"),
                world.database().jdbcUrl(member.link()),
                World.TOPIC,
                Integer.toString(setup.keys),
                Integer.toString(number),
                setup.pause().toString(),
                Long.toString(setup.seed * 1_000 + incarnation),
                world.histories()
                        .resolve(member.name() + "-" + incarnation + ".tsv")
                        .toString());
    }

    ChildProcess consumer(Member member, int incarnation) throws IOException {
        return ChildProcess.run(
                log(member),
                ConsumerProgram.class,
                List.of(LOUD),
                world.database().jdbcUrl(member.link()),
                world.broker().bootstrapServers(),
                World.TOPIC,
                World.TOPIC,
                World.GROUP,
                member.name(),
                "10");
    }

    ChildProcess operator() throws IOException {
        return ChildProcess.run(
                world.logs().resolve("operator.log"),
                OperatorProgram.class,
                List.of(LOUD, "-Xmx64m"),
                world.database().jdbcUrl(),
                setup.engine.name());
    }

    private Path log(Member member) {
        return world.logs().resolve(member.name() + ".log");
    }
}

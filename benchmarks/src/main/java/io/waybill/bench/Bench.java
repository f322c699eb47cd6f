package io.waybill.bench;

import io.waybill.bench.load.Load;
import io.waybill.bench.load.Spread;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The benchmark program. */
@Command(
        name = "waybill bench",
        description =
                "Measures Waybill beside bare loops, in turns, in one run. Read the ratios: absolute figures belong to"
                        + " the machine. Without a command: a short run of everything.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class Bench implements java.util.concurrent.Callable<Integer> {
    private static final String ENGINES = "journal,queue,update,delete,cursor";

    @Mixin
    private CommonOptions common = new CommonOptions();

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new Bench()).execute(arguments));
    }

    @Override
    public Integer call() throws Exception {
        Load load = new Load(Spread.EVEN, 10_000, 256);
        return common.run(List.of(new Drain(List.of(ENGINES.split(",")), 100_000, 2_000, 2, load)));
    }

    @Command(
            description = "Relays a backlog until all is acknowledged and settled; shows dead rows and WAL, too.",
            mixinStandardHelpOptions = true)
    int drain(
            @Mixin CommonOptions options,
            @Option(names = "--engines", split = ",", defaultValue = ENGINES) List<String> engines,
            @Option(names = "--events", defaultValue = "200000") int events,
            @Option(names = "--batch", defaultValue = "2000") int batch,
            @Option(names = "--rounds", defaultValue = "3") int rounds,
            @Option(names = "--keys", defaultValue = "10000") int keys,
            @Option(names = "--payload", defaultValue = "256") int payload)
            throws Exception {
        return options.run(List.of(new Drain(engines, events, batch, rounds, new Load(Spread.EVEN, keys, payload))));
    }
}

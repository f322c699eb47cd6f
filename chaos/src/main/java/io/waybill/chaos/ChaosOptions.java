package io.waybill.chaos;

import io.waybill.chaos.fault.Fault;
import io.waybill.chaos.fault.Faults;
import io.waybill.jdbc.Engine;
import io.waybill.server.config.Suggestion;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The validated options of the command line. */
record ChaosOptions(
        @Nullable Integer minutes,
        @Nullable Integer seconds,
        String engine,
        List<String> names,
        int relays,
        int writers,
        int consumers,
        int keys,
        int rate,
        int sagaRate) {
    /** A shorter run has no room for a fault. */
    private static final int SHORTEST = 10;

    /** An option is wrong. */
    static final class UsageException extends RuntimeException {
        UsageException(String message) {
            super(message);
        }
    }

    ChaosOptions {
        if (minutes != null && seconds != null) {
            throw new UsageException("Give --minutes or --seconds, not both.");
        }
        between("--minutes", minutes == null ? 1 : minutes, 1, 24 * 60);
        between("--seconds", seconds == null ? SHORTEST : seconds, SHORTEST, 24 * 3_600);
        between("--relays", relays, 1, 3);
        between("--writers", writers, 1, 8);
        between("--consumers", consumers, 1, 3);
        between("--keys", keys, 1, 10_000);
        between("--rate", rate, 1, 2_000);
        between("--saga-rate", sagaRate, 2, 500);
    }

    private static void between(String option, int value, int lowest, int highest) {
        if (value < lowest || value > highest) {
            throw new UsageException(
                    option + " must be between " + lowest + " and " + highest + ", not " + value + ".");
        }
    }

    Duration length() {
        return seconds != null ? Duration.ofSeconds(seconds) : Duration.ofMinutes(minutes == null ? 1 : minutes);
    }

    List<Engine> engines() {
        return switch (engine.toLowerCase(Locale.ROOT)) {
            case "both" -> List.of(Engine.JOURNAL, Engine.QUEUE);
            case "journal" -> List.of(Engine.JOURNAL);
            case "queue" -> List.of(Engine.QUEUE);
            default ->
                throw new UsageException("There is no engine '" + engine + "'."
                        + Suggestion.sentence(engine, List.of("journal", "queue", "both"))
                        + " Use journal, queue or both.");
        };
    }

    /** @param seed selects between faults that exclude each other, if all were requested */
    List<Fault> faults(long seed) {
        List<Fault> chosen = new ArrayList<>();
        for (String name : names) {
            if (name.equals("all")) {
                chosen.addAll(Faults.usual(seed));
            } else {
                chosen.add(Faults.named(name)
                        .orElseThrow(() -> new UsageException("There is no fault '" + name + "'."
                                + Suggestion.sentence(name, Faults.names())
                                + " './waybill chaos faults' lists them.")));
            }
        }
        return chosen.stream().distinct().toList();
    }

    /** Returns the command line that repeats the schedule. */
    String command(long seed, Engine chosen) {
        return "./waybill chaos --seed " + seed + " --engine " + chosen.label() + " --seconds "
                + length().toSeconds() + " --faults " + String.join(",", names) + " --relays " + relays + " --writers "
                + writers + " --consumers " + consumers + " --keys " + keys + " --rate " + rate
                + " --saga-rate " + sagaRate;
    }
}

package io.waybill.bench.contest;

import io.waybill.bench.contest.WaybillRelay.Way;
import java.util.List;

/** The names by which contestants are chosen. */
public final class Contestants {
    private Contestants() {}

    public static final List<String> NAMES = List.of("journal", "queue", "update", "delete", "cursor");

    public static Contestant named(String name, Servers servers, int batch) {
        return switch (name) {
            case "journal" -> new WaybillRelay(servers, Layout.JOURNAL, Way.USUAL, batch);
            case "journal-hinted" -> new WaybillRelay(servers, Layout.JOURNAL, Way.HINTED, batch);
            case "journal-raw" -> new WaybillRelay(servers, Layout.JOURNAL, Way.RAW, batch);
            case "queue" -> new WaybillRelay(servers, Layout.QUEUE, Way.USUAL, batch);
            case "queue-hinted" -> new WaybillRelay(servers, Layout.QUEUE, Way.HINTED, batch);
            case "update" -> new BareLoop(servers, name, Layout.STATUS, BareStep.UPDATE, batch);
            case "delete" -> new BareLoop(servers, name, Layout.STATUS, BareStep.DELETE, batch);
            case "cursor" -> new BareLoop(servers, name, Layout.SEQUENCE, BareStep.CURSOR, batch);
            case "cursor-enveloped" -> new BareLoop(servers, name, Layout.SEQUENCE, BareStep.ENVELOPE, batch);
            default ->
                throw new IllegalArgumentException("There is no contestant " + name + ". Choose from "
                        + String.join(", ", NAMES) + ", journal-hinted, journal-raw, queue-hinted, cursor-enveloped.");
        };
    }
}

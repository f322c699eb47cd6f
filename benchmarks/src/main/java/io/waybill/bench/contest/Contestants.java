package io.waybill.bench.contest;

import io.waybill.bench.contest.WaybillRelay.Way;
import java.util.List;

/** The names of the contestants. */
public final class Contestants {
    private Contestants() {}

    public static final List<String> NAMES = List.of("journal", "queue", "update", "delete", "cursor");

    public static Contestant named(String name, BenchServers servers, int batch) {
        return switch (name) {
            case "journal" -> new WaybillRelay(servers, TableLayout.JOURNAL, Way.USUAL, batch);
            case "journal-hinted" -> new WaybillRelay(servers, TableLayout.JOURNAL, Way.HINTED, batch);
            case "journal-raw" -> new WaybillRelay(servers, TableLayout.JOURNAL, Way.RAW, batch);
            case "queue" -> new WaybillRelay(servers, TableLayout.QUEUE, Way.USUAL, batch);
            case "queue-hinted" -> new WaybillRelay(servers, TableLayout.QUEUE, Way.HINTED, batch);
            case "update" -> new BareLoop(servers, name, TableLayout.STATUS, BareStep.UPDATE, batch);
            case "delete" -> new BareLoop(servers, name, TableLayout.STATUS, BareStep.DELETE, batch);
            case "cursor" -> new BareLoop(servers, name, TableLayout.SEQUENCE, BareStep.CURSOR, batch);
            case "cursor-enveloped" -> new BareLoop(servers, name, TableLayout.SEQUENCE, BareStep.ENVELOPE, batch);
            default ->
                throw new IllegalArgumentException("There is no contestant " + name + ". Choose from "
                        + String.join(", ", NAMES) + ", journal-hinted, journal-raw, queue-hinted, cursor-enveloped.");
        };
    }

    /** Returns one of Waybill's engines, with events that have trace contexts. */
    public static Contestant traced(String name, BenchServers servers, int batch, Tracing tracing) {
        TableLayout layout = switch (name) {
            case "journal" -> TableLayout.JOURNAL;
            case "queue" -> TableLayout.QUEUE;
            default ->
                throw new IllegalArgumentException(
                        "--tracing measures the engines journal and queue, not " + name + ".");
        };
        return new WaybillRelay(servers, layout, Way.USUAL, batch, tracing);
    }
}

package io.waybill.bench.contest;

import io.waybill.bench.measure.Verdict;

/** Where one run publishes: created empty, checked by a plain consumer, deleted. */
public interface Sink extends AutoCloseable {
    String name();

    /** Reads all of it and compares it with the events number 0 and up that were committed. */
    Verdict check(int events, boolean ordered) throws Exception;

    @Override
    void close();
}

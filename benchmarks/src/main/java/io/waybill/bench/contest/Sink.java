package io.waybill.bench.contest;

import io.waybill.bench.measure.Verdict;
import java.util.function.Consumer;

/** Where one run publishes: created empty, checked by a plain consumer, deleted. */
public interface Sink extends AutoCloseable {
    String name();

    /** Reads all of it and compares it with the events number 0 and up that were committed. */
    Verdict check(int events, boolean ordered) throws Exception;

    /** Hands over what comes, on a thread of the consumer, until it is closed; the checker sees it again. */
    Following follow(Consumer<String> received) throws Exception;

    @Override
    void close();

    /** A consumer that reads along. */
    interface Following extends AutoCloseable {
        @Override
        void close();
    }
}

package io.waybill.bench.contest;

import io.waybill.bench.measure.DeliveryCheck;
import java.util.function.Consumer;

/** The topic or queue of one run. It is created empty, checked with a plain consumer and deleted. */
public interface Sink extends AutoCloseable {
    String name();

    /** Reads all records and compares them with the committed events, which are numbered from 0. */
    DeliveryCheck check(int events, boolean ordered) throws Exception;

    /** Passes records to a listener on the consumer's thread until it is closed. The check reads them again. */
    Following follow(Consumer<String> received) throws Exception;

    @Override
    void close();

    /** A consumer that reads during the run. */
    interface Following extends AutoCloseable {
        @Override
        void close();
    }
}

package io.waybill.bench.contest;

import java.util.Map;

/** The broker's plain client as a bare loop uses it: send, send, send, flush. */
interface Sender extends AutoCloseable {
    void send(String key, byte[] body, Map<String, String> headers) throws Exception;

    /** Waits until everything is acknowledged, or throws. */
    void flush() throws Exception;

    @Override
    void close();
}

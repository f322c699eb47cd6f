package io.waybill.bench.contest;

import java.util.Map;

/** The plain client of a broker, as a bare loop uses it: send several records, then flush. */
interface Sender extends AutoCloseable {
    void send(String key, byte[] body, Map<String, String> headers) throws Exception;

    /** Waits until all records are acknowledged. Throws if one fails. */
    void flush() throws Exception;

    @Override
    void close();
}

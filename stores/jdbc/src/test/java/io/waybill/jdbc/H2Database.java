package io.waybill.jdbc;

import io.waybill.jdbc.inbox.InboxJdbcBackend;
import java.util.concurrent.atomic.AtomicInteger;

/** Creates empty databases in the memory of this JVM. */
public final class H2Database {
    private static final AtomicInteger COUNT = new AtomicInteger();

    private H2Database() {}

    public static String fresh() {
        return "jdbc:h2:mem:test" + COUNT.incrementAndGet() + ";DB_CLOSE_DELAY=-1";
    }

    public static InboxJdbcBackend inbox() {
        return new InboxJdbcBackend(JdbcBackend.queue(fresh()), "bigint GENERATED ALWAYS AS IDENTITY");
    }
}

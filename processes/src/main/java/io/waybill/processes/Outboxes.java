package io.waybill.processes;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.waybill.admin.DeadLetters;
import io.waybill.admin.OutboxView;
import io.waybill.jdbc.Engine;
import io.waybill.jdbc.JdbcQueue;
import io.waybill.jdbc.PostgresJournal;
import io.waybill.jdbc.layout.Layout;
import io.waybill.store.OutboxStore;
import java.nio.file.Path;
import java.util.Optional;
import javax.sql.DataSource;

/** Creates the parts of an outbox for any engine. */
public final class Outboxes {
    private Outboxes() {}

    /** The system property of the layout, if the table is not Waybill's own. */
    public static final String LAYOUT = "waybill.layout";

    /** Returns the layout that was requested for this process, if any. */
    public static Optional<Layout> layout() {
        return Optional.ofNullable(System.getProperty(LAYOUT)).map(name -> Layout.of(name, Path.of("")));
    }

    public static OutboxStore store(Engine engine, DataSource dataSource) {
        Optional<Layout> layout = layout();
        if (layout.isPresent()) {
            return JdbcQueue.on(dataSource, layout.get()).store();
        }
        return engine == Engine.JOURNAL
                ? PostgresJournal.on(dataSource).store()
                : JdbcQueue.on(dataSource).store();
    }

    public static OutboxView view(Engine engine, DataSource dataSource) {
        return engine == Engine.JOURNAL
                ? PostgresJournal.on(dataSource).view()
                : JdbcQueue.on(dataSource).view();
    }

    public static DeadLetters deadLetters(Engine engine, DataSource dataSource) {
        return engine == Engine.JOURNAL
                ? PostgresJournal.on(dataSource).deadLetters()
                : JdbcQueue.on(dataSource).deadLetters();
    }

    /** Creates a pool that connects at first use, because the database may be down. */
    public static HikariDataSource pool(String jdbcUrl, int size) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(jdbcUrl);
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(0);
        config.setConnectionTimeout(2_000);
        config.setTransactionIsolation(
                "TRANSACTION_READ_COMMITTED"); // otherwise one broken connection can disturb the pool
        config.setInitializationFailTimeout(-1);
        return new HikariDataSource(config);
    }
}

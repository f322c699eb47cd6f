package io.waybill.chaos.process;

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

/** The parts of an outbox, whichever engine keeps it. */
public final class Outboxes {
    private Outboxes() {}

    /** A system property: the layout of a table that is served, which is not Waybill's own. */
    public static final String LAYOUT = "waybill.layout";

    /** The layout that this process was asked to serve, if any. */
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

    /** Connects when it is asked to, and not before: its database may be down. */
    public static HikariDataSource pool(String jdbcUrl, int size) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(jdbcUrl);
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(0);
        config.setConnectionTimeout(2_000);
        config.setTransactionIsolation("TRANSACTION_READ_COMMITTED"); // else one broken connection can spoil the pool
        config.setInitializationFailTimeout(-1);
        return new HikariDataSource(config);
    }
}

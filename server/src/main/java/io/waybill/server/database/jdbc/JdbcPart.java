package io.waybill.server.database.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import io.waybill.server.database.StoredPart;
import io.waybill.server.problem.Exit;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.sql.DataSource;

/** The tables of the inbox, or those of sagas. */
record JdbcPart<T>(
        JdbcDatabase database,
        int version,
        Consumer<DataSource> apply,
        Function<DataSource, List<String>> check,
        Function<DataSource, ? extends T> on)
        implements StoredPart<T> {
    private static final int CONNECTIONS = 2;

    @Override
    public void create() {
        apply.accept(reached());
    }

    @Override
    public List<String> problems() {
        return check.apply(reached());
    }

    /** Connects first, so that an unreachable database is reported with the remedy of its address. */
    private DataSource reached() {
        DataSource source = database.direct();
        database.ping(source);
        return source;
    }

    @Override
    public T open() {
        return on.apply(database.direct());
    }

    @Override
    public Exit pooled(Function<T, Exit> work) {
        try (HikariDataSource pool = database.pool(CONNECTIONS)) {
            return work.apply(on.apply(pool));
        }
    }
}

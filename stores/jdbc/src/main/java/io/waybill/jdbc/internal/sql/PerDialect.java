package io.waybill.jdbc.internal.sql;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** A cache of statements that are composed once for each dialect. */
public final class PerDialect<S> {
    private final Function<Dialect, ? extends S> compose;
    private final Map<Dialect, S> composed = new ConcurrentHashMap<>();

    /** Composes the statements of every dialect from its fragments. */
    public PerDialect(Function<Dialect, ? extends S> compose) {
        this.compose = compose;
    }

    /** Composes the statements with the function for the dialect's database. */
    public PerDialect(
            Function<Dialect, ? extends S> postgres,
            Function<Dialect, ? extends S> mariaDb,
            Function<Dialect, ? extends S> h2) {
        this(dialect -> dialect.choose(postgres, mariaDb, h2).apply(dialect));
    }

    public S of(Dialect dialect) {
        return composed.computeIfAbsent(dialect, compose);
    }
}

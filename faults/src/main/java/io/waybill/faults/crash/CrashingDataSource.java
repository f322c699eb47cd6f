package io.waybill.faults.crash;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;

/** Reports crash points just before and just after each commit. */
public final class CrashingDataSource {
    private CrashingDataSource() {}

    static DataSource around(DataSource dataSource, Crash crash) {
        return proxy(DataSource.class, (self, method, arguments) -> {
            Object result = invoke(dataSource, method, arguments);
            return result instanceof Connection connection ? around(connection, crash) : result;
        });
    }

    private static Connection around(Connection connection, Crash crash) {
        AtomicBoolean committed = new AtomicBoolean(); // by a statement; commit() is then a no-op
        return proxy(Connection.class, (self, method, arguments) -> {
            if (method.getName().equals("commit") && !committed.getAndSet(false)) {
                return committing(crash, () -> invoke(connection, method, arguments));
            }
            Object result = invoke(connection, method, arguments);
            if (result instanceof PreparedStatement statement && bringsCommit(arguments)) {
                return around(statement, crash, committed);
            }
            return result;
        });
    }

    /** Whether this call prepares a statement that contains its own COMMIT. */
    public static boolean bringsCommit(Object[] arguments) {
        return arguments != null && arguments[0] instanceof String sql && sql.endsWith("COMMIT");
    }

    private static PreparedStatement around(PreparedStatement statement, Crash crash, AtomicBoolean committed) {
        return proxy(PreparedStatement.class, (self, method, arguments) -> {
            if (!method.getName().startsWith("execute")) {
                return invoke(statement, method, arguments);
            }
            Object result = committing(crash, () -> invoke(statement, method, arguments));
            committed.set(true);
            return result;
        });
    }

    @FunctionalInterface
    private interface Call {
        Object run() throws Throwable;
    }

    private static Object committing(Crash crash, Call commit) throws Throwable {
        crash.committing();
        Object result = commit.run();
        crash.committed();
        return result;
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private static Object invoke(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }
}

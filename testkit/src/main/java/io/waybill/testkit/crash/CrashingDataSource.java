package io.waybill.testkit.crash;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import javax.sql.DataSource;

/** Counts commits just before and just after the database has carried them out. */
final class CrashingDataSource {
    private CrashingDataSource() {}

    static DataSource around(DataSource dataSource, Crash crash) {
        return proxy(DataSource.class, (self, method, arguments) -> {
            Object result = invoke(dataSource, method, arguments);
            return result instanceof Connection connection ? around(connection, crash) : result;
        });
    }

    private static Connection around(Connection connection, Crash crash) {
        return proxy(Connection.class, (self, method, arguments) -> {
            boolean commit = method.getName().equals("commit");
            if (commit) {
                crash.committing();
            }
            Object result = invoke(connection, method, arguments);
            if (commit) {
                crash.committed();
            }
            return result;
        });
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

package io.waybill.faults.database;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A data source whose connections run an action before each commit, for example a pause with all locks held. */
public final class BeforeCommitDataSource {
    private BeforeCommitDataSource() {}

    /** The action before each commit. */
    public interface Pause {
        void take() throws InterruptedException;
    }

    public static DataSource of(DataSource dataSource, Pause pause) {
        return proxy(DataSource.class, (self, method, arguments) -> {
            Object result = call(dataSource, method, arguments);
            return result instanceof Connection connection ? connection(connection, pause) : result;
        });
    }

    private static Connection connection(Connection connection, Pause pause) {
        return proxy(Connection.class, (self, method, arguments) -> {
            if (method.getName().equals("commit")) {
                pause.take();
            }
            return call(connection, method, arguments);
        });
    }

    private static @Nullable Object call(Object target, Method method, Object @Nullable [] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(
                Proxy.newProxyInstance(BeforeCommitDataSource.class.getClassLoader(), new Class<?>[] {type}, handler));
    }
}

package io.waybill.internal;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;

/** Combines several listeners, such as those for metrics and for traces, into one. Their methods must return nothing. */
public final class Listeners {
    private Listeners() {}

    public static <L> L all(Class<L> type, List<L> listeners) {
        if (listeners.size() == 1) {
            return listeners.get(0);
        }
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (method.getDeclaringClass() == Object.class) {
                        return method.invoke(listeners, arguments);
                    }
                    for (L listener : listeners) {
                        try {
                            method.invoke(listener, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getTargetException();
                        }
                    }
                    return null;
                }));
    }
}

package io.waybill.server.up;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits for Ctrl-C, SIGTERM or SIGHUP. The first asks to stop in order, after which the program exits with 0; a second
 * one ends it at once with 130.
 *
 * <p>A shutdown hook cannot do that: it cannot change the exit code, and while it runs further signals are ignored. The
 * class that can is not part of Java's API (though of every JDK), hence the reflection and the hook as a defaultValue.
 */
public final class StopSignal {
    private static final Logger LOG = LoggerFactory.getLogger(StopSignal.class);
    private static final int FORCED = 130;

    private final CountDownLatch asked = new CountDownLatch(1);

    private StopSignal() {}

    public static StopSignal install() {
        StopSignal signal = new StopSignal();
        for (String name : List.of("INT", "TERM", "HUP")) {
            signal.handle(name);
        }
        return signal;
    }

    private void handle(String name) {
        try {
            Class<?> type = Class.forName("sun.misc.Signal");
            Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
            Object handler = Proxy.newProxyInstance(
                    StopSignal.class.getClassLoader(), new Class<?>[] {handlerType}, (proxy, method, arguments) -> {
                        if (method.getName().equals("handle")) {
                            received(name);
                            return null;
                        }
                        return method.getName().equals("hashCode") ? (Object) System.identityHashCode(proxy) : null;
                    });
            type.getMethod("handle", type, handlerType)
                    .invoke(null, type.getConstructor(String.class).newInstance(name), handler);
        } catch (ReflectiveOperationException | RuntimeException e) {
            LOG.debug("Signal {} is left to the JVM: {}", name, e.toString());
            Runtime.getRuntime().addShutdownHook(new Thread(asked::countDown));
        }
    }

    private void received(String name) {
        if (asked.getCount() == 0) {
            Runtime.getRuntime().halt(FORCED);
        }
        LOG.debug("Signal {}", name);
        asked.countDown();
    }

    /** Asks to stop, as a signal would. */
    public void raise() {
        asked.countDown();
    }

    /** Returns whether a stop was asked for within the time. */
    public boolean await(Duration limit) throws InterruptedException {
        return asked.await(limit.toMillis(), TimeUnit.MILLISECONDS);
    }

    public void await() throws InterruptedException {
        asked.await();
    }
}

package io.waybill.server.up;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits for SIGINT (Ctrl-C), SIGTERM or SIGHUP. The first signal starts an orderly shutdown, and the program exits with 0. A
 * second signal ends the program at once with 130.
 *
 * <p>A shutdown hook is not sufficient: it cannot change the exit code, and the JVM ignores further signals while it runs.
 * {@code sun.misc.Signal} is in every JDK but not part of the Java API, hence the reflection, with a hook as the fallback.
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
            LOG.debug("Cannot handle signal {}; using a shutdown hook: {}", name, e.toString());
            Runtime.getRuntime().addShutdownHook(new Thread(asked::countDown));
        }
    }

    private void received(String name) {
        if (asked.getCount() == 0) {
            Runtime.getRuntime().halt(FORCED);
        }
        LOG.debug("Received signal {}", name);
        asked.countDown();
    }

    /** Requests a stop, as a signal does. */
    public void raise() {
        asked.countDown();
    }

    /** Returns whether a stop was requested within the limit. */
    public boolean await(Duration limit) throws InterruptedException {
        return asked.await(limit.toMillis(), TimeUnit.MILLISECONDS);
    }

    public void await() throws InterruptedException {
        asked.await();
    }
}

package io.waybill.spring.internal.saga;

import io.waybill.WaybillException;
import io.waybill.saga.Sagas;
import io.waybill.spring.RelayLifecycle;
import io.waybill.spring.internal.start.StartFailure;
import io.waybill.store.StoreException;
import org.springframework.context.SmartLifecycle;

/** Runs the saga engine in the application's lifecycle: it starts after inbox and relay, and stops before them. */
final class EngineLifecycle implements SmartLifecycle {
    private final Sagas<?> sagas;
    private final boolean enabled;
    private final RelayLifecycle relay;

    EngineLifecycle(Sagas<?> sagas, boolean enabled, RelayLifecycle relay) {
        this.sagas = sagas;
        this.enabled = enabled;
        this.relay = relay;
    }

    @Override
    public void start() {
        if (!enabled || sagas.isRunning()) {
            return;
        }
        try {
            sagas.start();
        } catch (StoreException unreachable) {
            throw unreachable;
        } catch (WaybillException changed) {
            throw new StartFailure(
                    String.valueOf(changed.getMessage()),
                    "Raise version(…) of that definition, and keep a bean of the old version.");
        }
    }

    /** Waits for work in progress. */
    @Override
    public void stop() {
        sagas.close();
    }

    @Override
    public boolean isRunning() {
        return sagas.isRunning();
    }

    @Override
    public int getPhase() {
        return relay.getPhase() + 1;
    }
}

package io.waybill.micrometer;

import static java.util.Objects.requireNonNull;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.waybill.saga.SagaListener;
import io.waybill.saga.SagaStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Metrics of the sagas that one engine works on: {@code saga_execution_total} and {@code saga_execution_duration_seconds} by definition
 * and end, {@code saga_step_duration_seconds} by definition and step, {@code saga_compensations_total}, {@code saga_stuck_total} and
 * {@code saga_stale_replies_total} by definition. {@link SagaGauges} has the numbers of sagas, which it reads from the tables.
 */
public final class SagaMetrics implements SagaListener {
    private static final Duration[] TIMES = {
        Duration.ofMillis(10),
        Duration.ofMillis(50),
        Duration.ofMillis(250),
        Duration.ofSeconds(1),
        Duration.ofSeconds(5),
        Duration.ofSeconds(30),
        Duration.ofMinutes(5),
        Duration.ofHours(1),
        Duration.ofDays(1)
    };

    private final MeterRegistry registry;
    private final Map<String, OfSaga> sagas = new ConcurrentHashMap<>();

    private SagaMetrics(MeterRegistry registry) {
        this.registry = registry;
    }

    public static SagaMetrics on(MeterRegistry registry) {
        return new SagaMetrics(requireNonNull(registry, "registry"));
    }

    /** The counters of one definition. All of them exist from its first saga on, so that rates do not miss the first increment. */
    private final class OfSaga {
        final Counter compensations;
        final Counter stuck;
        final Counter staleReplies;
        final Map<SagaStatus, Timer> executions = new ConcurrentHashMap<>();
        final Map<SagaStatus, Counter> ends = new ConcurrentHashMap<>();
        final Map<String, Timer> steps = new ConcurrentHashMap<>();

        OfSaga(String saga) {
            compensations = counter("saga.compensations", "Steps that were undone", saga);
            stuck = counter("saga.stuck", "Steps and compensations that began to wait for a person", saga);
            staleReplies = counter("saga.stale.replies", "Late, duplicate and foreign replies", saga);
            for (SagaStatus end : ends()) {
                String status = end.name().toLowerCase(Locale.ROOT);
                ends.put(
                        end,
                        Counter.builder("saga.execution")
                                .description("Ended sagas")
                                .tag("saga", saga)
                                .tag("status", status)
                                .register(registry));
                executions.put(
                        end,
                        Timer.builder("saga.execution.duration")
                                .description("Time from the start of a saga to its end")
                                .tag("saga", saga)
                                .tag("status", status)
                                .serviceLevelObjectives(TIMES)
                                .register(registry));
            }
        }

        private Counter counter(String name, String description, String saga) {
            return Counter.builder(name)
                    .description(description)
                    .tag("saga", saga)
                    .register(registry);
        }
    }

    private static List<SagaStatus> ends() {
        List<SagaStatus> ends = new ArrayList<>(List.of(SagaStatus.FAILED));
        for (SagaStatus status : SagaStatus.values()) {
            if (status.isEnd()) {
                ends.add(status);
            }
        }
        return ends;
    }

    private OfSaga of(String saga) {
        return sagas.computeIfAbsent(saga, OfSaga::new);
    }

    @Override
    public void started(UUID id, String saga, String businessKey) {
        of(saga);
    }

    @Override
    public void stepSucceeded(UUID id, String saga, String step, Duration took) {
        of(saga).steps.computeIfAbsent(step, name -> stepTimer(saga, name)).record(took);
    }

    private Timer stepTimer(String saga, String step) {
        return Timer.builder("saga.step.duration")
                .description("Time from the first attempt of a step to its success")
                .tag("saga", saga)
                .tag("step", step)
                .serviceLevelObjectives(TIMES)
                .register(registry);
    }

    @Override
    public void stepCompensated(UUID id, String saga, String step) {
        of(saga).compensations.increment();
    }

    @Override
    public void stuck(UUID id, String saga, String step, String error) {
        of(saga).stuck.increment();
    }

    @Override
    public void staleReply(UUID id, String saga, String eventType) {
        of(saga).staleReplies.increment();
    }

    @Override
    public void ended(UUID id, String saga, String businessKey, SagaStatus status, Duration took) {
        Counter count = of(saga).ends.get(status);
        Timer time = of(saga).executions.get(status);
        if (count != null && time != null) {
            count.increment();
            time.record(took);
        }
    }
}

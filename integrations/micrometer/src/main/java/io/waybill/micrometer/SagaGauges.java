package io.waybill.micrometer;

import static java.util.Objects.requireNonNull;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.waybill.saga.SagaStatus;
import io.waybill.saga.admin.SagaActivity;
import io.waybill.saga.admin.SagaView;
import io.waybill.saga.store.SagaStore.Definition;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.DoubleBinaryOperator;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * Gauges for the sagas that have not ended, by definition. Each scrape reads them from the tables, so they are correct also when no
 * engine runs. A result is cached for a second. When the database does not answer within two seconds, {@code saga.up} is 0 and the
 * others are NaN. A new definition appears one scrape after its engine has stored it.
 */
public final class SagaGauges implements MeterBinder, AutoCloseable {
    private static final List<SagaStatus> OPEN = List.of(
            SagaStatus.PENDING,
            SagaStatus.EXECUTING,
            SagaStatus.COMPENSATING,
            SagaStatus.FORWARD_RECOVERY,
            SagaStatus.FAILED);

    /**
     * What one scrape shows.
     *
     * @param known the names of all definitions
     */
    private record Reading(boolean tables, Set<String> known, List<SagaActivity> activity) {}

    private final LatestStatus<Reading> latest;
    private final List<Rows> series = new CopyOnWriteArrayList<>();
    private final Tags tags;

    private SagaGauges(Supplier<Optional<SagaView>> view, Tags tags) {
        this.tags = tags;
        this.latest = new LatestStatus<>(
                () -> {
                    Reading reading = read(view.get());
                    series.forEach(rows -> rows.register(reading));
                    return reading;
                },
                OutboxGauges.LIMIT);
    }

    public static SagaGauges of(SagaView view) {
        requireNonNull(view, "view");
        return new SagaGauges(() -> Optional.of(view), Tags.empty());
    }

    /** For a database that may have no tables of sagas: {@code saga.up} is NaN then, and there are no other gauges. */
    public static SagaGauges ofOptional(Supplier<Optional<SagaView>> view) {
        return ofOptional(view, Tags.empty());
    }

    /** @param tags added to each gauge, to tell several databases in one registry apart; with the same keys for all of them */
    public static SagaGauges ofOptional(Supplier<Optional<SagaView>> view, Iterable<Tag> tags) {
        return new SagaGauges(requireNonNull(view, "view"), Tags.of(tags));
    }

    private static Reading read(Optional<SagaView> view) {
        if (view.isEmpty()) {
            return new Reading(false, Set.of(), List.of());
        }
        List<SagaActivity> activity = view.get().activity();
        Set<String> known = new TreeSet<>();
        view.get().definitions().stream().map(Definition::name).forEach(known::add);
        activity.stream().map(SagaActivity::name).forEach(known::add);
        return new Reading(true, known, activity);
    }

    /** One gauge for each row of the function's result. */
    private record Rows(MultiGauge gauge, Function<Reading, List<MultiGauge.Row<?>>> rows) {
        void register(Reading reading) {
            gauge.register(rows.apply(reading), false);
        }
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        series.add(new Rows(
                MultiGauge.builder("saga.active.count")
                        .description("Sagas that have not ended")
                        .tags(tags)
                        .register(registry),
                this::active));
        bySaga(
                MultiGauge.builder("saga.stuck.count").description("Sagas with a step that waits for a person"),
                registry,
                SagaActivity::stuck,
                Double::sum);
        bySaga(
                MultiGauge.builder("saga.oldest.active.age")
                        .baseUnit("seconds")
                        .description("Age of the oldest saga that has not ended"),
                registry,
                group -> group.oldest().toMillis() / 1e3,
                Math::max);
        bySaga(
                MultiGauge.builder("saga.timer.lag")
                        .baseUnit("seconds")
                        .description("How long the saga that has been due longest waits for an engine"),
                registry,
                group -> group.timerLag().toMillis() / 1e3,
                Math::max);
        // Registered last: a scrape that reads it has the rows of all series.
        Gauge.builder("saga.up", latest, SagaGauges::up)
                .description("Whether the sagas could be read")
                .tags(tags)
                .register(registry);
    }

    private static double up(LatestStatus<Reading> latest) {
        return latest.get().map(reading -> reading.tables() ? 1 : Double.NaN).orElse(0.0);
    }

    private List<MultiGauge.Row<?>> active(Reading reading) {
        List<MultiGauge.Row<?>> rows = new ArrayList<>();
        for (String saga : reading.known()) {
            for (SagaStatus status : OPEN) {
                rows.add(MultiGauge.Row.of(
                        Tags.of("saga", saga, "status", status.name().toLowerCase(Locale.ROOT)),
                        latest,
                        answer -> answer.value(now -> now.activity().stream()
                                .filter(group -> group.name().equals(saga) && group.status() == status)
                                .mapToLong(SagaActivity::count)
                                .sum())));
            }
        }
        return rows;
    }

    /** @param combine combines the values of the states of one definition */
    private void bySaga(
            MultiGauge.Builder gauge,
            MeterRegistry registry,
            ToDoubleFunction<SagaActivity> part,
            DoubleBinaryOperator combine) {
        series.add(new Rows(gauge.tags(tags).register(registry), reading -> {
            List<MultiGauge.Row<?>> rows = new ArrayList<>();
            for (String saga : reading.known()) {
                rows.add(MultiGauge.Row.of(
                        Tags.of("saga", saga),
                        latest,
                        answer -> answer.value(now -> now.activity().stream()
                                .filter(group -> group.name().equals(saga))
                                .mapToDouble(part)
                                .reduce(0, combine))));
            }
            return rows;
        }));
    }

    /** Reads the sagas now. From then on, the gauges show the result of the last call: see {@link OutboxGauges#refresh()}. */
    public void refresh() {
        latest.refresh();
    }

    /** Ends the thread that reads the sagas. */
    @Override
    public void close() {
        latest.close();
    }
}

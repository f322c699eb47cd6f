package io.waybill.saga.admin;

import io.waybill.saga.SagaStatus;
import java.time.Duration;
import java.util.Collection;

/**
 * All sagas that have not ended.
 *
 * @param running sagas that are not being undone
 * @param compensating sagas that are being undone
 * @param stuck those among them with a step that waits for a person
 * @param oldest the age of the oldest one; zero if there is none
 * @param timerLag how long the one that has been due longest waits for an engine; zero if none is due
 */
public record SagaTotals(long running, long compensating, long stuck, Duration oldest, Duration timerLag) {

    public static SagaTotals of(Collection<SagaActivity> activity) {
        long running = 0;
        long compensating = 0;
        long stuck = 0;
        Duration oldest = Duration.ZERO;
        Duration lag = Duration.ZERO;
        for (SagaActivity group : activity) {
            boolean undone = group.status() == SagaStatus.COMPENSATING || group.status() == SagaStatus.FAILED;
            running += undone ? 0 : group.count();
            compensating += undone ? group.count() : 0;
            stuck += group.stuck();
            oldest = longer(oldest, group.oldest());
            lag = longer(lag, group.timerLag());
        }
        return new SagaTotals(running, compensating, stuck, oldest, lag);
    }

    private static Duration longer(Duration first, Duration second) {
        return first.compareTo(second) > 0 ? first : second;
    }
}

package io.waybill.saga.admin;

import io.waybill.saga.SagaStatus;
import java.time.Duration;

/**
 * Sagas of one definition in one state that have not ended.
 *
 * @param stuck how many of them have a step that waits for a person
 * @param oldest the age of the oldest one
 * @param timerLag how long the one that has been due longest waits for an engine; zero if none is due
 */
public record SagaActivity(
        String name, SagaStatus status, long count, long stuck, Duration oldest, Duration timerLag) {}

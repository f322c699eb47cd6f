package io.waybill.saga.admin;

import io.waybill.saga.SagaStatus;
import java.time.Duration;

/**
 * Sagas of one definition in one state.
 *
 * @param count for ended sagas, those that are not pruned yet
 * @param stuck how many of them have a step that waits for a person
 * @param oldest the age of the oldest one that has not ended; zero if there is none
 */
public record SagaStatistics(String name, SagaStatus status, long count, long stuck, Duration oldest) {}

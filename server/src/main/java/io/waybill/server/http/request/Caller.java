package io.waybill.server.http.request;

import java.time.Instant;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The authenticated user of a request. Audit rows name it as the actor.
 *
 * @param expiresAt when its session ends unless it is used before; null without a session
 * @param valid whether it may still be trusted; long responses such as streams ask again
 */
public record Caller(String name, Role role, @Nullable Instant expiresAt, BooleanSupplier valid) {}

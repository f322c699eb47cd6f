package io.waybill.server.http.request;

import java.time.Instant;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The authenticated user of a request. Audit rows name the user as the actor.
 *
 * @param expiresAt when the session ends unless it is used before; null without a session
 * @param valid whether the sign-in is still valid; long responses such as streams check it repeatedly
 */
public record Caller(String name, Role role, @Nullable Instant expiresAt, BooleanSupplier valid) {}

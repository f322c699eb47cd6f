package io.waybill.server.http.request;

import io.javalin.http.Context;
import java.util.Optional;

/** Finds the user of a request. */
@FunctionalInterface
public interface Authentication {
    /**
     * Returns the user; empty if the request names none.
     *
     * @throws Refusal if the request has credentials that are not valid
     */
    Optional<Caller> caller(Context request);
}

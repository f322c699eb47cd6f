package io.waybill.server.http.request;

/** Answers one route. */
@FunctionalInterface
public interface Endpoint {
    void answer(Call call);
}

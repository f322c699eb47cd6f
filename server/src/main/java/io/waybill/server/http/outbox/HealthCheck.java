package io.waybill.server.http.outbox;

/** The result of one readiness check. */
public record HealthCheck(String name, boolean ok, String detail) {}

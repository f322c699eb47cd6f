package io.waybill.server.http;

import io.waybill.operate.Status;
import io.waybill.server.daemon.Health;
import java.util.List;
import java.util.function.Supplier;

/** What the HTTP server shows; each answer is asked for when somebody wants to see it. */
public record Views(Supplier<List<Health.Check>> checks, Supplier<Status> status, Supplier<String> metrics) {}

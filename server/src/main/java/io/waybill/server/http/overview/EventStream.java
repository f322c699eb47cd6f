package io.waybill.server.http.overview;

import io.waybill.WaybillException;
import io.waybill.server.http.request.Call;
import io.waybill.server.http.request.Caller;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Server-sent events to one viewer. A viewer that reads slowly misses samples and delays no other viewer: each stream has a
 * thread of its own that writes, and keeps only the newest sample.
 */
final class EventStream implements Sampler.Viewer {
    private static final Logger LOG = LoggerFactory.getLogger(EventStream.class);

    private final Sampler sampler;
    private final Executor writers;
    private final Caller caller;
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private final OutputStream out;
    private final AtomicReference<@Nullable String> newest = new AtomicReference<>();
    private final AtomicBoolean writing = new AtomicBoolean();

    private EventStream(Sampler sampler, Executor writers, Caller caller, OutputStream out) {
        this.sampler = sampler;
        this.writers = writers;
        this.caller = caller;
        this.out = out;
    }

    static void open(Call call, Sampler sampler, Executor writers) {
        HttpServletResponse response = call.context().res();
        response.setStatus(200);
        response.setContentType("text/event-stream; charset=utf-8");
        response.setHeader("X-Accel-Buffering", "no"); // some proxies would buffer events
        try {
            response.flushBuffer();
            EventStream stream = new EventStream(sampler, writers, call.caller(), response.getOutputStream());
            call.context().future(() -> {
                sampler.add(stream);
                return stream.done;
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void see(Overview overview) {
        offer("overview", OverviewJson.of(overview).toString());
    }

    @Override
    public void miss(WaybillException problem) {
        offer("problem", OverviewRoutes.problem(problem).toString());
    }

    /** Writes an event; ends the stream instead if the session of the user ended or the user was removed. */
    private void offer(String event, String json) {
        if (!caller.valid().getAsBoolean()) {
            end();
            return;
        }
        newest.set("event: " + event + "\ndata: " + json + "\n\n");
        if (writing.compareAndSet(false, true)) {
            try {
                writers.execute(this::write);
            } catch (RejectedExecutionException stopping) {
                end();
            }
        }
    }

    private void write() {
        try {
            for (String text = newest.getAndSet(null); text != null; text = newest.getAndSet(null)) {
                out.write(text.getBytes(StandardCharsets.UTF_8));
                out.flush();
            }
        } catch (IOException | RuntimeException e) {
            LOG.debug("A viewer is gone: {}", e.toString());
            end();
        } finally {
            writing.set(false);
        }
    }

    private void end() {
        sampler.remove(this);
        done.complete(null);
    }
}

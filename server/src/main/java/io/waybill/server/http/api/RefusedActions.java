package io.waybill.server.http.api;

import io.javalin.http.Context;
import io.waybill.WaybillException;
import io.waybill.admin.Action;
import io.waybill.internal.LogText;
import io.waybill.server.http.access.ClientAddress;
import io.waybill.server.http.outbox.ServedOutbox;
import io.waybill.server.http.request.Caller;
import io.waybill.server.http.request.Routes;
import io.waybill.time.Ticker;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records refused attempts to act or to see payloads in the audit of their outbox. Because of the limit per minute, a program
 * that repeats them cannot fill the table.
 */
final class RefusedActions implements Routes.RefusalListener {
    private static final Logger LOG = LoggerFactory.getLogger(RefusedActions.class);
    private static final int MOST_PER_MINUTE = 200;
    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);
    private static final int LONGEST_DETAIL = 200;

    /** The number of parts of a path before its subject, as in {@code /api/v1/outboxes/main/events/…}. */
    private static final int PREFIX = 5;

    private final Outboxes outboxes;
    private final ClientAddress addresses;
    private long minuteBegan = Ticker.SYSTEM.nanos();
    private int thisMinute;

    RefusedActions(Outboxes outboxes, ClientAddress addresses) {
        this.outboxes = outboxes;
        this.addresses = addresses;
    }

    @Override
    public void refused(Context request, Caller caller, String reason) {
        if (!admit()) {
            return;
        }
        LOG.warn(
                "Refused {} {} to {}: {}",
                request.method().name(),
                LogText.oneLine(request.path()),
                LogText.oneLine(caller.name()),
                LogText.oneLine(reason));
        List<String> path = List.of(request.path().split("/", -1));
        if (path.size() <= PREFIX) {
            return;
        }
        String about = String.join("/", path.subList(PREFIX, path.size()));
        String detail = about.length() > LONGEST_DETAIL ? about.substring(0, LONGEST_DETAIL) : about;
        Action action = new Action(caller.name(), reason, null, addresses.of(request));
        try {
            outboxes.find(path.get(PREFIX - 1))
                    .flatMap(ServedOutbox::actions)
                    .ifPresent(actions -> actions.recordRefusal(path.get(path.size() - 1), detail, action));
        } catch (WaybillException e) { // for example, the outbox is not open
            LOG.warn("Cannot record a refused action: {}", LogText.oneLine(e.getMessage()));
        }
    }

    private synchronized boolean admit() {
        long now = Ticker.SYSTEM.nanos();
        if (now - minuteBegan > MINUTE) {
            minuteBegan = now;
            thisMinute = 0;
        }
        return ++thisMinute <= MOST_PER_MINUTE;
    }
}

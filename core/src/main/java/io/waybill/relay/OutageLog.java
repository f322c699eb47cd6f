package io.waybill.relay;

import io.waybill.internal.LogText;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs a problem once when it begins and once when it ends, so that an outage does not flood the log. */
final class OutageLog {
    private static final Logger LOG = LoggerFactory.getLogger(Relay.class);

    private final String what;
    private boolean raised;

    OutageLog(String what) {
        this.what = what;
    }

    synchronized void raise(Throwable cause) {
        if (!raised) {
            raised = true;
            LOG.warn("{}: {} Retrying.", what, LogText.oneLine(cause.getMessage()));
            LOG.debug("{}", what, cause);
        }
    }

    synchronized void clear() {
        if (raised) {
            raised = false;
            LOG.info("Recovered: {}", what);
        }
    }
}

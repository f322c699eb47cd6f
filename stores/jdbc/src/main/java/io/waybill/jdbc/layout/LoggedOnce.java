package io.waybill.jdbc.layout;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs a failure when it starts, when its reason changes, and when it ends, so that a lasting failure does not flood the log. */
final class LoggedOnce {
    private static final Logger LOG = LoggerFactory.getLogger(LoggedOnce.class);

    private final String what;
    private final String consequence;
    private String reason = "";

    /** @param consequence what the relay does meanwhile, as a sentence */
    LoggedOnce(String what, String consequence) {
        this.what = what;
        this.consequence = consequence;
    }

    synchronized void failed(Throwable cause) {
        String message = String.valueOf(cause.getMessage());
        if (!message.equals(reason)) {
            reason = message;
            LOG.warn("{}: {} {}", what, message, consequence);
            LOG.debug("{}", what, cause);
        }
    }

    synchronized void recovered() {
        if (!reason.isEmpty()) {
            reason = "";
            LOG.info("Recovered: {}", what);
        }
    }
}

package io.waybill.jdbc.layout;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs a failure when it begins, when its reason changes and when it has ended: an obstacle that lasts must not flood the log. */
final class LoggedOnce {
    private static final Logger LOG = LoggerFactory.getLogger(LoggedOnce.class);

    private final String what;
    private final String consequence;
    private String reason = "";

    /** @param consequence what happens meanwhile, as a sentence */
    LoggedOnce(String what, String consequence) {
        this.what = what;
        this.consequence = consequence;
    }

    synchronized void raise(Throwable cause) {
        String message = String.valueOf(cause.getMessage());
        if (!message.equals(reason)) {
            reason = message;
            LOG.warn("{}: {} {}", what, message, consequence);
            LOG.debug("{}", what, cause);
        }
    }

    synchronized void clear() {
        if (!reason.isEmpty()) {
            reason = "";
            LOG.info("Recovered: {}", what);
        }
    }
}

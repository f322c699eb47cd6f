package io.waybill.acceptance;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** What Waybill logs at WARN or above while this is open. */
final class LogLines extends AppenderBase<ILoggingEvent> implements AutoCloseable {
    private final Logger logger = (Logger) LoggerFactory.getLogger("io.waybill");
    private final List<String> lines = new CopyOnWriteArrayList<>();

    static LogLines listen() {
        LogLines log = new LogLines();
        log.start();
        log.logger.addAppender(log);
        return log;
    }

    @Override
    protected void append(ILoggingEvent event) {
        if (event.getLevel().isGreaterOrEqual(Level.WARN)) {
            lines.add(event.getFormattedMessage());
        }
    }

    List<String> warnings() {
        return List.copyOf(lines);
    }

    @Override
    public void close() {
        logger.detachAppender(this);
    }
}

package io.waybill.acceptance;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** Captures Waybill's log lines at WARN or above while it is open. */
public final class LogLines extends AppenderBase<ILoggingEvent> implements AutoCloseable {
    private final Logger logger = (Logger) LoggerFactory.getLogger("io.waybill");
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final List<String> traced = new CopyOnWriteArrayList<>();

    public static LogLines listen() {
        LogLines log = new LogLines();
        log.start();
        log.logger.addAppender(log);
        return log;
    }

    @Override
    protected void append(ILoggingEvent event) {
        if (event.getLevel().isGreaterOrEqual(Level.WARN)) {
            lines.add(event.getFormattedMessage());
            if (event.getThrowableProxy() != null) {
                traced.add(event.getFormattedMessage());
            }
        }
    }

    /** Returns the lines that contain this text. */
    public List<String> about(String text) {
        return lines.stream().filter(line -> line.contains(text)).toList();
    }

    /** Returns the lines that contain this text and have a stack trace. */
    public List<String> traced(String text) {
        return traced.stream().filter(line -> line.contains(text)).toList();
    }

    public List<String> warnings() {
        return List.copyOf(lines);
    }

    @Override
    public void close() {
        logger.detachAppender(this);
    }
}

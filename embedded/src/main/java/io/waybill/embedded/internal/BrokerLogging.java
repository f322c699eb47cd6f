package io.waybill.embedded.internal;

import org.jspecify.annotations.Nullable;
import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.Logger;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.helpers.NOPMDCAdapter;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/**
 * Logs warnings and errors of the Kafka process to its standard error, which is the log file in the broker's folder.
 *
 * <p>The broker selects this provider by name ({@code -Dslf4j.provider}); no service file lists it. So the broker logs the
 * same way with every logging library on the parent's class path, and the parent does not find a second provider.
 */
public final class BrokerLogging implements SLF4JServiceProvider {

    private final IMarkerFactory markers = new BasicMarkerFactory();
    private final MDCAdapter diagnostics = new NOPMDCAdapter();
    private final ILoggerFactory loggers = BrokerLogger::new;

    @Override
    public void initialize() {}

    @Override
    public ILoggerFactory getLoggerFactory() {
        return loggers;
    }

    @Override
    public IMarkerFactory getMarkerFactory() {
        return markers;
    }

    @Override
    public MDCAdapter getMDCAdapter() {
        return diagnostics;
    }

    @Override
    public String getRequestedApiVersion() {
        return "2.0.99";
    }

    private static final class BrokerLogger extends LegacyAbstractLogger {

        private static final long serialVersionUID = 1L;

        BrokerLogger(String name) {
            this.name = name;
        }

        @Override
        public boolean isTraceEnabled() {
            return false;
        }

        @Override
        public boolean isDebugEnabled() {
            return false;
        }

        @Override
        public boolean isInfoEnabled() {
            return false;
        }

        @Override
        public boolean isWarnEnabled() {
            return true;
        }

        @Override
        public boolean isErrorEnabled() {
            return true;
        }

        @Override
        protected String getFullyQualifiedCallerName() {
            return Logger.class.getName();
        }

        @Override
        protected void handleNormalizedLoggingCall(
                Level level,
                @Nullable Marker marker,
                @Nullable String message,
                Object @Nullable [] arguments,
                @Nullable Throwable thrown) {
            String text = MessageFormatter.basicArrayFormat(message, arguments);
            synchronized (System.err) {
                System.err.println(java.time.Instant.now() + " " + level + " " + name + " - " + text);
                if (thrown != null) {
                    thrown.printStackTrace(System.err);
                }
            }
        }
    }
}

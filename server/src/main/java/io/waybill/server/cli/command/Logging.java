package io.waybill.server.cli.command;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.spi.ContextAwareBase;
import io.waybill.server.config.LogFormat;
import org.slf4j.LoggerFactory;

/**
 * Configures logback: one line per message, to standard error. Reading an XML file would double the start-up time of a
 * short command. Logback finds this class through {@code META-INF/services}.
 */
public final class Logging extends ContextAwareBase implements Configurator {
    /** Messages quote events and brokers. Replaces control and direction characters, which could manipulate the terminal. */
    private static final String PATTERN =
            "%d{yyyy-MM-dd'T'HH:mm:ss.SSS} %-5level %replace([%X{outbox}] ){'^\\[\\] $', ''}"
                    + "%replace(%msg){'[\\p{Cc}\\u202a-\\u202e\\u2066-\\u2069]', '?'}"
                    + "%replace( [trace %X{traceId}]){' \\[trace \\]', ''}%n";

    @Override
    public ExecutionStatus configure(LoggerContext context) {
        PatternLayoutEncoder encoder = new PatternLayoutEncoder();
        encoder.setPattern(PATTERN);
        write(context, encoder);
        context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME).setLevel(Level.ERROR);
        // The relay logs each outage once. These libraries would repeat it many times per second.
        context.getLogger("org.apache.kafka").setLevel(Level.OFF);
        context.getLogger("com.zaxxer.hikari").setLevel(Level.OFF);
        // HttpServer reports a port that is in use.
        context.getLogger("io.javalin").setLevel(Level.OFF);
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }

    private static void write(LoggerContext context, Encoder<ILoggingEvent> encoder) {
        encoder.setContext(context);
        encoder.start();
        ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
        appender.setContext(context);
        appender.setTarget("System.err");
        appender.setEncoder(encoder);
        appender.start();
        Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.detachAndStopAllAppenders();
        root.addAppender(appender);
    }

    /** The level and the format for commands that run until they are stopped. */
    public static void daemon(LogFormat format) {
        level("io.waybill", Level.INFO);
        if (format == LogFormat.JSON && LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            JsonEncoder encoder = new JsonEncoder();
            encoder.setWithSequenceNumber(false);
            encoder.setWithContext(false);
            encoder.setWithMessage(false);
            encoder.setWithArguments(false);
            encoder.setWithFormattedMessage(true);
            write(context, encoder);
        }
    }

    public static void verbose() {
        level(org.slf4j.Logger.ROOT_LOGGER_NAME, Level.INFO);
        level("io.waybill", Level.DEBUG);
        level("org.apache.kafka", Level.WARN);
        level("com.zaxxer.hikari", Level.DEBUG);
    }

    private static void level(String name, Level level) {
        if (LoggerFactory.getLogger(name) instanceof Logger logger) {
            logger.setLevel(level);
        }
    }
}

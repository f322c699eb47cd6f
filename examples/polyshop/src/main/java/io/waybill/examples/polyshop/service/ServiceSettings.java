package io.waybill.examples.polyshop.service;

import io.waybill.WaybillException;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The settings of a service: the environment variables of its process. */
public final class ServiceSettings {
    private static final Pattern SHORT = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)");

    private final String service;
    private final Map<String, String> environment;

    private ServiceSettings(String service, Map<String, String> environment) {
        this.service = service;
        this.environment = environment;
    }

    public static ServiceSettings of(String service, Map<String, String> environment) {
        return new ServiceSettings(service, Map.copyOf(environment));
    }

    /** The name of the service: the source of its events, its consumer group, and its name in traces. */
    public String service() {
        return service;
    }

    public Map<String, String> environment() {
        return environment;
    }

    /** The port of the HTTP server; 0 for any free port. */
    public int port() {
        return number("PORT", 0);
    }

    public String jdbcUrl() {
        return required("JDBC_URL");
    }

    public String kafka() {
        return required("KAFKA");
    }

    public String jwksUrl() {
        return required("JWKS_URL");
    }

    /** Returns the value of a variable; empty if it is not set or blank. */
    public Optional<String> find(String variable) {
        return Optional.ofNullable(environment.get(variable)).filter(value -> !value.isBlank());
    }

    public String required(String variable) {
        return find(variable)
                .orElseThrow(() -> new WaybillException(
                        "Service " + service + " cannot start: the environment variable " + variable + " is not set."));
    }

    public int number(String variable, int fallback) {
        return find(variable)
                .map(value -> {
                    try {
                        return Integer.parseInt(value.strip());
                    } catch (NumberFormatException e) {
                        throw invalid(variable, value, "a whole number");
                    }
                })
                .orElse(fallback);
    }

    /** Reads a duration such as {@code 500ms}, {@code 15m} or {@code PT15M}. */
    public Duration duration(String variable, Duration fallback) {
        return find(variable).map(value -> duration(variable, value.strip())).orElse(fallback);
    }

    private Duration duration(String variable, String value) {
        Matcher parts = SHORT.matcher(value);
        if (parts.matches()) {
            long count = Long.parseLong(parts.group(1));
            return switch (parts.group(2)) {
                case "ms" -> Duration.ofMillis(count);
                case "s" -> Duration.ofSeconds(count);
                case "m" -> Duration.ofMinutes(count);
                case "h" -> Duration.ofHours(count);
                default -> Duration.ofDays(count);
            };
        }
        try {
            return Duration.parse(value.toUpperCase(Locale.ROOT));
        } catch (DateTimeException e) {
            throw invalid(variable, value, "a duration such as 500ms, 30s or 15m");
        }
    }

    private WaybillException invalid(String variable, String value, String expected) {
        return new WaybillException("Service " + service + " cannot start: " + variable + " must be " + expected
                + ", not '" + value + "'.");
    }
}

package io.waybill.server.config;

import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One row of the table of settings: its flag, its environment variable and its place in the file all follow from the key.
 *
 * @param defaultValue what holds when nobody sets it, as text; null when there is no such thing
 * @param expects completes the sentence "must be …"
 * @param parse throws {@code IllegalArgumentException} for what it cannot read
 * @param secret never printed, and may come from a file that {@code …_FILE} names
 */
public record Setting<T>(
        String key,
        String flag,
        @Nullable String defaultValue,
        String expects,
        Function<String, T> parse,
        String label,
        String description,
        boolean secret) {

    static final String PREFIX = "WAYBILL_";

    /** The first part of the key: what the setting is about. */
    public String group() {
        int dot = key.indexOf('.');
        return dot < 0 ? key : key.substring(0, dot);
    }

    public String environmentName() {
        return environmentName(key);
    }

    static String environmentName(String key) {
        return PREFIX + key.replace('.', '_').replace('-', '_').toUpperCase(Locale.ROOT);
    }

    static String flagName(String key) {
        return "--" + key.replace('.', '-');
    }

    Setting<T> withFlag(String shorter) {
        return new Setting<>(key, shorter, defaultValue, expects, parse, label, description, secret);
    }

    Setting<T> asSecret() {
        return new Setting<>(key, flag, defaultValue, expects, parse, label, description, true);
    }
}

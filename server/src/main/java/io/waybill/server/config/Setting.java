package io.waybill.server.config;

import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A setting. The flag, the environment variable and the place in the file are derived from the key.
 *
 * @param defaultValue the default as text; null when the setting has none
 * @param expects completes the sentence "must be …"
 * @param parse throws {@code IllegalArgumentException} for invalid text
 * @param secret whether the value is never printed and may come from a file, named by {@code …_FILE}
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

    /** The first part of the key. Commands select the settings that they accept by group. */
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

package io.waybill.server.config;

import io.waybill.internal.Secrets;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The effective settings. Flags override environment variables, which override the file, which overrides the defaults. */
public final class Configuration {
    static final String DEFAULT_FILE = "waybill.yaml";
    private static final String OPEN = Settings.BROKER_SETTINGS + ".";

    private final Map<String, RawSetting> given = new LinkedHashMap<>();

    private final Path workingFolder;

    private Configuration(Path workingFolder) {
        this.workingFolder = workingFolder;
    }

    /**
     * @param flags the values of flags, by setting key
     * @param file the file of {@code --config}
     */
    public static Configuration read(
            Map<String, String> flags,
            List<String> brokerSettings,
            @Nullable Path file,
            Map<String, String> environment,
            Path workingFolder) {
        Configuration configuration = new Configuration(workingFolder);
        String named = environment.get(SettingsEnvironment.CONFIG);
        Path implied = workingFolder.resolve(DEFAULT_FILE);
        if (file != null || named != null) {
            Path chosen = file != null ? file : Path.of(requireText(named));
            configuration.add(SettingsFile.read(workingFolder.resolve(chosen)));
        } else if (Files.exists(implied)) {
            configuration.add(SettingsFile.read(implied));
        }
        configuration.add(new SettingsEnvironment(environment).read());
        configuration.add(fromFlags(flags, brokerSettings));
        return configuration;
    }

    private static String requireText(@Nullable String path) {
        if (path == null || path.isBlank()) {
            throw Problem.usage(SettingsEnvironment.CONFIG + " is empty. Set it to the path of a file, or unset it.");
        }
        return path;
    }

    private static List<RawSetting> fromFlags(Map<String, String> flags, List<String> brokerSettings) {
        List<RawSetting> result = new ArrayList<>();
        flags.forEach((key, text) -> result.add(new RawSetting(
                key, text, "flag " + Settings.find(key).orElseThrow().flag())));
        for (String setting : brokerSettings) {
            int equals = setting.indexOf('=');
            if (equals < 1) {
                throw Problem.usage(Settings.BROKER_SETTING_FLAG + " must be name=value, not '" + setting + "'.");
            }
            result.add(new RawSetting(
                    OPEN + setting.substring(0, equals).strip(),
                    setting.substring(equals + 1),
                    "flag " + Settings.BROKER_SETTING_FLAG));
        }
        return result;
    }

    private void add(List<RawSetting> values) {
        for (RawSetting value : values) {
            check(value);
            given.put(value.key(), value);
        }
    }

    private static void check(RawSetting value) {
        if (value.key().startsWith(OPEN)) {
            return;
        }
        Setting<?> setting = Settings.find(value.key()).orElseThrow(() -> unknown(value));
        parse(setting, value);
    }

    private static Problem unknown(RawSetting value) {
        List<String> keys = Settings.all().stream().map(Setting::key).toList();
        List<String> inside =
                keys.stream().filter(key -> key.startsWith(value.key() + ".")).toList();
        String remedy = inside.isEmpty()
                ? Suggestion.sentence(value.key(), keys) + " `waybill config` lists all settings."
                : " It is a section: it contains settings such as " + inside.get(0) + ".";
        return Problem.usage("Unknown setting '" + value.key() + "' in " + value.origin() + "." + remedy);
    }

    private static <T> T parse(Setting<T> setting, RawSetting value) {
        try {
            return setting.parse().apply(value.text());
        } catch (RuntimeException e) {
            String shown = setting.secret() ? "" : ", not '" + Secrets.mask(value.text()) + "'";
            throw new Problem(
                    Exit.USAGE,
                    setting.key() + " must be " + setting.expects() + shown + " (" + value.origin() + ").",
                    e);
        }
    }

    /** Returns the value, or empty when the setting is not set and has no default. */
    public <T> Optional<T> find(Setting<T> setting) {
        RawSetting value = given.get(setting.key());
        if (value == null && setting.defaultValue() != null) {
            value = new RawSetting(setting.key(), setting.defaultValue(), "default");
        }
        return Optional.ofNullable(value).map(present -> parse(setting, present));
    }

    /** The value of a setting that has a default. */
    public <T> T get(Setting<T> setting) {
        return find(setting).orElseThrow(() -> new IllegalStateException(setting.key() + " has no default"));
    }

    /** The folder against which relative paths are resolved. */
    public Path workingFolder() {
        return workingFolder;
    }

    /** The settings that are passed unchanged to the client of the broker. */
    public Map<String, String> brokerSettings() {
        Map<String, String> settings = new LinkedHashMap<>();
        given.forEach((key, value) -> {
            if (key.startsWith(OPEN)) {
                settings.put(key.substring(OPEN.length()), value.text());
            }
        });
        return settings;
    }

    /** All settings with their origins. Secrets are masked. */
    public List<Shown> shown() {
        List<Shown> lines = new ArrayList<>();
        for (Setting<?> setting : Settings.all()) {
            RawSetting value = given.get(setting.key());
            if (value != null) {
                lines.add(new Shown(setting.key(), shown(setting, value.text()), value.origin()));
            } else {
                lines.add(new Shown(
                        setting.key(), setting.defaultValue(), setting.defaultValue() == null ? "not set" : "default"));
            }
        }
        given.forEach((key, value) -> {
            if (key.startsWith(OPEN)) {
                lines.add(new Shown(key, Secrets.isSecret(key) ? Secrets.MASK : value.text(), value.origin()));
            }
        });
        return lines;
    }

    private static String shown(Setting<?> setting, String text) {
        return setting.secret() ? Secrets.MASK : Secrets.mask(text);
    }

    /** One line of {@code waybill config}. */
    public record Shown(String key, @Nullable String value, String origin) {}
}

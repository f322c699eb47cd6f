package io.waybill.server.config;

import io.waybill.internal.Secrets;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The effective settings: those of the process, or those of one {@link #outbox(String) outbox} that the process serves. Flags override
 * environment variables, which override the file, which overrides the defaults. Settings below {@code outboxes.NAME} override those
 * at the top level, whether they are from the environment or from the file. Flags override both.
 */
public final class Configuration {
    static final String DEFAULT_FILE = "waybill.yaml";
    private static final String OPEN = Settings.BROKER_SETTINGS + ".";

    /** The settings of the environment and of the file at the top level. */
    private final Map<String, RawSetting> given = new LinkedHashMap<>();

    private final Map<String, RawSetting> flags = new LinkedHashMap<>();

    /** The settings of each outbox, by its name. */
    private final Map<String, Map<String, RawSetting>> outboxes = new LinkedHashMap<>();

    private final Path workingFolder;
    private final @Nullable String outbox;

    private Configuration(Path workingFolder, @Nullable String outbox) {
        this.workingFolder = workingFolder;
        this.outbox = outbox;
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
        Configuration configuration = new Configuration(workingFolder, null);
        String named = environment.get(SettingsEnvironment.CONFIG);
        Path implied = workingFolder.resolve(DEFAULT_FILE);
        if (file != null || named != null) {
            Path chosen = file != null ? file : Path.of(requireText(named));
            configuration.add(SettingsFile.read(workingFolder.resolve(chosen)));
        } else if (Files.exists(implied)) {
            configuration.add(SettingsFile.read(implied));
        }
        Set<String> declared = new LinkedHashSet<>(configuration.outboxes.keySet());
        configuration.add(new SettingsEnvironment(environment, declared).read());
        for (RawSetting value : fromFlags(flags, brokerSettings)) {
            check(value.key(), value);
            configuration.flags.put(value.key(), value);
        }
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
            Optional<OutboxKey> ofOutbox = OutboxKey.parse(value.key());
            if (ofOutbox.isEmpty()) {
                check(value.key(), value);
                given.put(value.key(), value);
                continue;
            }
            OutboxKey key = ofOutbox.get();
            key.requireName(value);
            checkDistinct(key.name(), value);
            check(key.setting(), value);
            outboxes.computeIfAbsent(key.name(), name -> new LinkedHashMap<>()).put(key.setting(), value);
        }
    }

    /** Two names that differ only in case would have the same environment variables. */
    private void checkDistinct(String name, RawSetting value) {
        for (String known : outboxes.keySet()) {
            if (!known.equals(name) && known.toLowerCase(Locale.ROOT).equals(name.toLowerCase(Locale.ROOT))) {
                throw Problem.usage("The outboxes '" + known + "' and '" + name + "' (" + value.origin()
                        + ") differ only in case. Rename one of them.");
            }
        }
    }

    /** @param key the key of the setting, without the outbox that the full key may name */
    private static void check(String key, RawSetting value) {
        if (key.startsWith(OPEN)) {
            return;
        }
        Setting<?> setting = Settings.find(key).orElseThrow(() -> unknown(value));
        if (!key.equals(value.key()) && !OutboxKey.GROUPS.contains(setting.group())) {
            throw Problem.usage("Setting '" + value.key() + "' in " + value.origin() + " concerns the process, not one"
                    + " outbox. Move it to the top level, as " + key + ".");
        }
        parse(setting, value);
    }

    private static Problem unknown(RawSetting value) {
        List<String> keys = OutboxKey.parse(value.key())
                .map(OutboxKey::known)
                .orElseGet(() -> Settings.all().stream().map(Setting::key).toList());
        List<String> inside =
                keys.stream().filter(key -> key.startsWith(value.key() + ".")).toList();
        if (value.key().equals(OutboxKey.SECTION)) {
            inside = new OutboxKey("order", "").known();
        }
        String remedy = inside.isEmpty()
                ? suggestion(value.key(), keys) + " `waybill config` lists all settings."
                : " It is a section: it contains settings such as " + inside.get(0) + ".";
        return Problem.usage("Unknown setting '" + value.key() + "' in " + value.origin() + "." + remedy);
    }

    /** A misspelled section {@code outboxes} is far from any key, because it is followed by a name. */
    private static String suggestion(String key, List<String> keys) {
        int dot = key.indexOf('.');
        String known = Suggestion.sentence(key, keys);
        return known.isEmpty() && dot > 0 && key.indexOf('.', dot + 1) > 0
                ? Suggestion.sentence(key.substring(0, dot), List.of(OutboxKey.SECTION))
                : known;
    }

    private static <T> T parse(Setting<T> setting, RawSetting value) {
        try {
            return setting.parse().apply(value.text());
        } catch (RuntimeException e) {
            String shown = setting.secret() ? "" : ", not '" + Secrets.mask(value.text()) + "'";
            throw new Problem(
                    Exit.USAGE,
                    value.key() + " must be " + setting.expects() + shown + " (" + value.origin() + ").",
                    e);
        }
    }

    /** The name of the outbox that these settings concern; empty if they are those of the process. */
    public Optional<String> outbox() {
        return Optional.ofNullable(outbox);
    }

    /** The names of the configured outboxes; empty if the settings at the top level are those of the only outbox. */
    public Set<String> outboxNames() {
        return outboxes.keySet();
    }

    /** The settings of each outbox: one element for each name, or these settings if there are no names. */
    public List<Configuration> outboxes() {
        return outboxes.isEmpty()
                ? List.of(this)
                : outboxes.keySet().stream().map(this::outbox).toList();
    }

    /** @throws Problem if there is no outbox of this name */
    public Configuration outbox(String name) {
        Map<String, RawSetting> own = outboxes.get(name);
        if (own == null) {
            throw Problem.usage(
                    outboxes.isEmpty()
                            ? "No outbox has a name. Remove --outbox, or configure outboxes." + name + "."
                            : "There is no outbox '" + name + "'." + Suggestion.sentence(name, outboxes.keySet())
                                    + " Configured: " + String.join(", ", outboxes.keySet()) + ".");
        }
        Configuration result = new Configuration(workingFolder, name);
        result.given.putAll(given);
        result.given.putAll(own);
        result.flags.putAll(flags);
        return result;
    }

    private @Nullable RawSetting given(String key) {
        RawSetting flag = flags.get(key);
        return flag == null ? given.get(key) : flag;
    }

    /** Whether the setting is given as a flag. */
    public boolean isFlag(Setting<?> setting) {
        return flags.containsKey(setting.key());
    }

    /** Returns the value, or empty when the setting is not set and has no default. */
    public <T> Optional<T> find(Setting<T> setting) {
        RawSetting value = given(setting.key());
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
        open().forEach((key, value) -> settings.put(key.substring(OPEN.length()), value.text()));
        return settings;
    }

    private Map<String, RawSetting> open() {
        Map<String, RawSetting> all = new LinkedHashMap<>(given);
        all.putAll(flags);
        all.keySet().removeIf(key -> !key.startsWith(OPEN));
        return all;
    }

    /**
     * All settings with their origins, and the own settings of each outbox. Those of an outbox do not show which of them a flag
     * overrides; {@link #outbox(String)} does. Secrets are masked.
     */
    public List<Shown> shown() {
        List<Shown> lines = new ArrayList<>();
        for (Setting<?> setting : Settings.all()) {
            RawSetting value = given(setting.key());
            if (value != null) {
                lines.add(shown(setting.key(), setting.key(), value));
            } else {
                lines.add(new Shown(
                        setting.key(), setting.defaultValue(), setting.defaultValue() == null ? "not set" : "default"));
            }
        }
        open().forEach((key, value) -> lines.add(shown(key, key, value)));
        outboxes.values()
                .forEach(own -> own.forEach((key, value) -> lines.add(shown(value.key(), key, value))));
        return lines;
    }

    /** @param key the key without the outbox that the full key may name */
    private static Shown shown(String fullKey, String key, RawSetting value) {
        boolean secret = Settings.find(key).map(Setting::secret).orElseGet(() -> Secrets.isSecret(key));
        boolean plain = key.startsWith(OPEN);
        String text = secret ? Secrets.MASK : plain ? value.text() : Secrets.mask(value.text());
        return new Shown(fullKey, text, value.origin());
    }

    /** One line of {@code waybill config}. */
    public record Shown(String key, @Nullable String value, String origin) {}
}

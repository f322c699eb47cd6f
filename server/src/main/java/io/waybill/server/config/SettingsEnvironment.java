package io.waybill.server.config;

import io.waybill.internal.Secrets;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Reads {@code WAYBILL_…} variables. An unknown variable is an error, because it is likely to be misspelled. */
final class SettingsEnvironment {
    static final String CONFIG = "WAYBILL_CONFIG";

    /** Variables of the launcher script and of this class, which are not settings. */
    private static final Set<String> OTHERS = Set.of(CONFIG, "WAYBILL_JAVA_OPTIONS");

    static final String FILE_SUFFIX = "_FILE";
    private static final String OPEN = Setting.environmentName(Settings.BROKER_SETTINGS) + "_";

    private final Map<String, String> environment;
    private final Set<String> outboxes;

    /** @param outboxes the outboxes that the file declares */
    SettingsEnvironment(Map<String, String> environment, Set<String> outboxes) {
        this.environment = new TreeMap<>(environment);
        this.outboxes = outboxes;
    }

    List<RawSetting> read() {
        List<RawSetting> found = new ArrayList<>();
        environment.forEach((name, value) -> {
            if (name.startsWith(Setting.PREFIX) && !OTHERS.contains(name)) {
                found.add(
                        OutboxVariable.matches(name)
                                ? ofOutbox(OutboxVariable.parse(name, outboxes), name, value)
                                : given(name, name, value, ""));
            }
        });
        return found;
    }

    private RawSetting ofOutbox(OutboxVariable variable, String name, String value) {
        return given(variable.atTopLevel(name), name, value, OutboxKey.PREFIX + variable.outbox() + ".");
    }

    /**
     * @param known the variable of the setting at the top level
     * @param prefix the beginning of the key: that of an outbox, or empty
     */
    private RawSetting given(String known, String name, String value, String prefix) {
        for (Setting<?> setting : Settings.all()) {
            if (known.equals(setting.environmentName())) {
                return new RawSetting(prefix + setting.key(), value, "environment " + name);
            }
            if (setting.secret() && known.equals(setting.environmentName() + FILE_SUFFIX)) {
                return fromFile(prefix + setting.key(), name, value);
            }
        }
        if (known.startsWith(OPEN)) {
            return brokerSetting(known.substring(OPEN.length()), name, value, prefix + Settings.BROKER_SETTINGS + ".");
        }
        List<String> names =
                Settings.all().stream().map(Setting::environmentName).toList();
        throw Problem.usage("Unknown environment variable " + name + "." + Suggestion.sentence(name, names)
                + " Variables that begin with WAYBILL_ must be settings; `waybill config` lists them.");
    }

    /** Kafka's setting names contain dots and no underscores, so {@code COMPRESSION_TYPE} is unambiguous. */
    private RawSetting brokerSetting(String part, String name, String value, String prefix) {
        String setting = part.toLowerCase(Locale.ROOT).replace('_', '.');
        if (setting.endsWith(".file")) {
            String base = setting.substring(0, setting.length() - ".file".length());
            if (Secrets.isSecret(base)) {
                return fromFile(prefix + base, name, value);
            }
        }
        return new RawSetting(prefix + setting, value, "environment " + name);
    }

    private RawSetting fromFile(String key, String name, String file) {
        String plain = name.substring(0, name.length() - FILE_SUFFIX.length());
        if (environment.containsKey(plain)) {
            throw Problem.usage("Both " + plain + " and " + name + " are set. Keep one of them.");
        }
        try {
            return new RawSetting(key, Files.readString(Path.of(file)).strip(), "file of environment " + name);
        } catch (IOException | RuntimeException e) {
            throw new Problem(
                    Exit.USAGE,
                    "Cannot read the file '" + file + "' that " + name
                            + " names. Make it readable, or correct the name.",
                    e);
        }
    }
}

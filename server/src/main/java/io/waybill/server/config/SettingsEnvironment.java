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

    private static final String FILE_SUFFIX = "_FILE";
    private static final String OPEN = Setting.environmentName(Settings.BROKER_SETTINGS) + "_";

    private final Map<String, String> environment;

    SettingsEnvironment(Map<String, String> environment) {
        this.environment = new TreeMap<>(environment);
    }

    List<RawSetting> read() {
        List<RawSetting> found = new ArrayList<>();
        environment.forEach((name, value) -> {
            if (name.startsWith(Setting.PREFIX) && !OTHERS.contains(name)) {
                found.add(given(name, value));
            }
        });
        return found;
    }

    private RawSetting given(String name, String value) {
        for (Setting<?> setting : Settings.all()) {
            if (name.equals(setting.environmentName())) {
                return new RawSetting(setting.key(), value, "environment " + name);
            }
            if (setting.secret() && name.equals(setting.environmentName() + FILE_SUFFIX)) {
                return fromFile(setting.key(), name, value);
            }
        }
        if (name.startsWith(OPEN)) {
            return brokerSetting(name, value);
        }
        List<String> known =
                Settings.all().stream().map(Setting::environmentName).toList();
        throw Problem.usage("Unknown environment variable " + name + "." + Suggestion.sentence(name, known)
                + " Variables that begin with WAYBILL_ must be settings; `waybill config` lists them.");
    }

    /** Kafka's setting names contain dots and no underscores, so {@code COMPRESSION_TYPE} is unambiguous. */
    private RawSetting brokerSetting(String name, String value) {
        String setting = name.substring(OPEN.length()).toLowerCase(Locale.ROOT).replace('_', '.');
        if (setting.endsWith(".file")) {
            String base = setting.substring(0, setting.length() - ".file".length());
            if (Secrets.isSecret(base)) {
                return fromFile(Settings.BROKER_SETTINGS + "." + base, name, value);
            }
        }
        return new RawSetting(Settings.BROKER_SETTINGS + "." + setting, value, "environment " + name);
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

package io.waybill.server.cli.command;

import io.waybill.server.config.Configuration;
import io.waybill.server.config.Setting;
import io.waybill.server.config.Settings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.ArgGroupSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.ISetter;
import picocli.CommandLine.Model.OptionSpec;

/** Creates the flags for settings, and collects their values. */
public final class SettingFlags {
    /** The groups of settings that differ between outboxes. */
    private static final Set<String> OF_OUTBOX = Set.of("database", "engine", "layout", "broker", "relay");

    private final Map<String, String> given = new LinkedHashMap<>();
    private final List<String> brokerSettings = new ArrayList<>();
    private @Nullable String outbox;

    public void addTo(CommandSpec spec, Set<String> groups) {
        List<OptionSpec> options = new ArrayList<>();
        if (groups.stream().anyMatch(OF_OUTBOX::contains)) {
            options.add(outboxOption());
        }
        for (Setting<?> setting : Settings.all()) {
            if (groups.contains(setting.group())) {
                options.add(option(setting));
            }
        }
        if (groups.contains(Settings.BROKER_URL.group())) {
            options.add(brokerSetting());
        }
        if (options.isEmpty()) {
            return;
        }
        ArgGroupSpec.Builder group = ArgGroupSpec.builder()
                .heading("%nSettings (also as environment variables or in waybill.yaml):%n")
                .exclusive(false)
                .validate(false)
                .multiplicity("0..1");
        options.forEach(group::addArg);
        spec.addArgGroup(group.build());
    }

    private OptionSpec outboxOption() {
        return OptionSpec.builder("--outbox")
                .type(String.class)
                .arity("1")
                .paramLabel("NAME")
                .description("The outbox that this command concerns, if outboxes have names in waybill.yaml."
                        + " relay, status and doctor concern all of them by default; other flags then apply to each of"
                        + " them, and --database is refused.")
                .setter(new ISetter() {
                    @Override
                    @SuppressWarnings("TypeParameterUnusedInFormals")
                    public <T> @Nullable T set(T value) {
                        outbox = value == null ? null : value.toString();
                        return null;
                    }
                })
                .build();
    }

    private OptionSpec option(Setting<?> setting) {
        String defaultValue = setting.defaultValue() == null ? "" : " (default " + setting.defaultValue() + ")";
        return OptionSpec.builder(setting.flag())
                .type(String.class)
                .arity("1")
                .paramLabel(setting.label())
                .description(setting.description().replace("%", "%%") + defaultValue, "  " + setting.environmentName())
                .setter(new ISetter() {
                    @Override
                    @SuppressWarnings("TypeParameterUnusedInFormals")
                    public <T> @Nullable T set(T value) {
                        if (value != null) {
                            given.put(setting.key(), value.toString());
                        }
                        return null;
                    }
                })
                .build();
    }

    private OptionSpec brokerSetting() {
        return OptionSpec.builder(Settings.BROKER_SETTING_FLAG)
                .type(List.class)
                .auxiliaryTypes(String.class)
                .arity("1")
                .paramLabel("NAME=VALUE")
                .description("Setting for the client of the broker; repeatable.", "  WAYBILL_BROKER_SETTINGS_…")
                .initialValue(brokerSettings)
                .hasInitialValue(true)
                .setter(new ISetter() {
                    @Override
                    @SuppressWarnings("TypeParameterUnusedInFormals")
                    public <T> @Nullable T set(T value) {
                        if (value instanceof List<?> list) {
                            brokerSettings.clear();
                            list.forEach(item -> brokerSettings.add(String.valueOf(item)));
                        }
                        return null;
                    }
                })
                .build();
    }

    /** The value of {@code --outbox}. */
    public Optional<String> outbox() {
        return Optional.ofNullable(outbox);
    }

    public Configuration read(@Nullable Path file, CliContext context) {
        return Configuration.read(given, brokerSettings, file, context.environment(), context.workingFolder());
    }
}

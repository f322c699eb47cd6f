package io.waybill.spring.internal.start;

import io.waybill.internal.Spelling;
import io.waybill.spring.RelayLifecycle;
import io.waybill.spring.WaybillProperties;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;

/**
 * Finds mistyped settings under {@code waybill}. They fail the start, except for environment variables and system properties, which
 * can be meant for another part of the process: those are logged as a warning.
 */
public final class UnknownSettings {
    private static final Logger LOG = LoggerFactory.getLogger(RelayLifecycle.class);
    private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("waybill");

    /** System properties of the program {@code waybill}, its examples and its tests. */
    private static final List<String> OF_THE_PROGRAM = List.of(
            "waybill.home",
            "waybill.terminal",
            "waybill.typing",
            "waybill.mariadb",
            "waybill.bench",
            "waybill.stress",
            "waybill.simulation",
            "waybill.large");

    private static final Set<String> OF_THE_PROCESS = Set.of(
            StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
            StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME);

    private final List<ConfigurationPropertyName> settings = new ArrayList<>();
    private final List<ConfigurationPropertyName> trees = new ArrayList<>();

    /** @param others prefixes that other classes of the application read */
    public UnknownSettings(List<String> others) {
        collect(ROOT, WaybillProperties.class);
        OF_THE_PROGRAM.forEach(name -> trees.add(ConfigurationPropertyName.of(name)));
        others.forEach(name -> trees.add(ConfigurationPropertyName.adapt(name, '.')));
    }

    /** Returns the settings of the starter, and those of the application's own @ConfigurationProperties classes under waybill. */
    public static UnknownSettings of(ConfigurableListableBeanFactory beans) {
        List<String> prefixes = new ArrayList<>();
        for (String name : beans.getBeanNamesForAnnotation(ConfigurationProperties.class)) {
            ConfigurationProperties rule = beans.findAnnotationOnBean(name, ConfigurationProperties.class);
            if (rule != null && rule.prefix().startsWith("waybill.")) {
                prefixes.add(rule.prefix());
            }
        }
        return new UnknownSettings(prefixes);
    }

    private void collect(ConfigurationPropertyName prefix, Class<?> record) {
        for (RecordComponent component : record.getRecordComponents()) {
            ConfigurationPropertyName name = prefix.append(dashed(component.getName()));
            Class<?> type = component.getType();
            if (type.isRecord()) {
                collect(name, type);
            } else if (Map.class.isAssignableFrom(type)) {
                trees.add(name);
            } else {
                settings.add(name);
            }
        }
    }

    private static String dashed(String name) {
        return name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }

    /** @throws StartFailure when a setting is unknown */
    public void refuse(Environment environment) {
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source instanceof IterableConfigurationPropertySource names) {
                names.stream()
                        .filter(name -> ROOT.isAncestorOf(name) && !isKnown(name))
                        .findFirst()
                        .ifPresent(name -> report(name, source));
            }
        }
    }

    private boolean isKnown(ConfigurationPropertyName name) {
        ConfigurationPropertyName whole = name.isLastElementIndexed() ? name.getParent() : name;
        return settings.contains(whole)
                || trees.stream().anyMatch(tree -> tree.equals(whole) || tree.isAncestorOf(whole));
    }

    private void report(ConfigurationPropertyName name, ConfigurationPropertySource source) {
        String what = "There is no setting " + name + "."
                + closest(name.toString())
                        .map(close -> " Did you mean " + close + "?")
                        .orElse("");
        if (source.getUnderlyingSource() instanceof PropertySource<?> named
                && OF_THE_PROCESS.contains(named.getName())) {
            LOG.warn("{} The setting comes from {} and is ignored.", what, named.getName());
            return;
        }
        throw new StartFailure(
                what,
                "Correct it, or remove it. Settings of your own belong under another prefix, or into a"
                        + " @ConfigurationProperties class.");
    }

    private Optional<String> closest(String name) {
        return Spelling.closest(
                name,
                Stream.concat(settings.stream(), trees.stream())
                        .map(ConfigurationPropertyName::toString)
                        .toList());
    }
}

package io.waybill.spring.internal.start;

import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.ResolvableType;
import org.springframework.core.env.Environment;

/** Explains why a bean of Waybill is missing: no DataSource, more than one, no saga, or Waybill is disabled. */
final class MissingOutboxAnalyzer extends AbstractFailureAnalyzer<NoSuchBeanDefinitionException> implements Ordered {
    /** By name, because the saga module is optional. */
    private static final Set<String> NEED_A_SAGA =
            Set.of("io.waybill.saga.Sagas", "io.waybill.spring.TransactionalSagas");

    private final BeanFactory beans;
    private final Environment environment;

    MissingOutboxAnalyzer(BeanFactory beans, Environment environment) {
        this.beans = beans;
        this.environment = environment;
    }

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, NoSuchBeanDefinitionException cause) {
        ResolvableType wanted = cause.getResolvableType();
        if (wanted == null || !wanted.toClass().getName().startsWith("io.waybill.")) {
            return null;
        }
        String what = "A bean of type " + wanted.toClass().getSimpleName()
                + " is required, but Waybill did not configure it: ";
        if (!environment.getProperty("waybill.enabled", Boolean.class, true)) {
            return new FailureAnalysis(
                    what + "waybill.enabled is false.", "Remove waybill.enabled=false.", rootFailure);
        }
        int sources = beans instanceof ListableBeanFactory all
                ? all.getBeanNamesForType(DataSource.class, true, false).length
                : 0;
        return sources == 0
                ? new FailureAnalysis(
                        what + "the application has no DataSource.",
                        "Set spring.datasource.url=jdbc:postgresql://host/database (and username, password), and add"
                                + " org.postgresql:postgresql to the dependencies.",
                        rootFailure)
                : sources == 1
                        ? withoutDefinition(wanted.toClass().getName(), what, rootFailure)
                        : new FailureAnalysis(
                                what + "the application has " + sources + " DataSources, none of them primary.",
                                "Mark the DataSource that your transactions write to, and its transaction manager, @Primary.",
                                rootFailure);
    }

    private static @Nullable FailureAnalysis withoutDefinition(String wanted, String what, Throwable rootFailure) {
        return NEED_A_SAGA.contains(wanted)
                ? new FailureAnalysis(
                        what + "the application has no bean of type Saga.",
                        "Return each saga definition from a @Bean method, and add io.waybill:waybill-saga to the dependencies.",
                        rootFailure)
                : null;
    }

    /** Runs before Spring Boot's own analyzer, which only reports that a bean is missing. */
    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }
}

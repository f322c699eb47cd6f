package io.waybill.examples.quality.worker;

import java.util.HashMap;
import java.util.Map;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/** Translates {@code quality.worker} into settings of Waybill and Spring, before they are read. */
final class WorkerModeSettings implements EnvironmentPostProcessor {
    @Override
    public void postProcessEnvironment(ConfigurableEnvironment environment, SpringApplication application) {
        WorkerMode mode =
                Binder.get(environment).bind("quality.worker", WorkerMode.class).orElse(WorkerMode.ON);
        Map<String, Object> settings = new HashMap<>();
        if (mode != WorkerMode.ON) {
            settings.put("waybill.relay.enabled", false);
            settings.put("waybill.inbox.enabled", false);
        }
        if (mode == WorkerMode.ONCE) {
            settings.put("spring.main.web-application-type", "none");
        }
        environment.getPropertySources().addFirst(new MapPropertySource("worker mode", settings));
    }
}

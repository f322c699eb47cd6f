package io.waybill.spring.internal.broker;

import java.lang.reflect.Method;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds and reads {@code ConnectionDetails} beans, which Testcontainers and Docker Compose define. Uses reflection, because the two
 * major versions of Spring Boot have the same interfaces in different packages.
 */
final class ConnectionDetailsBeans {
    private ConnectionDetailsBeans() {}

    /**
     * Returns the name of the first bean of the given interface. Skips Spring Boot's own bean, {@code Properties…}: it repeats the
     * properties, and names a broker on localhost when they are empty.
     *
     * @param packages where each version of Spring Boot has the interface
     */
    static Optional<String> find(ListableBeanFactory beans, String simpleName, String... packages) {
        ClassLoader classes = beans.getClass().getClassLoader();
        for (String place : packages) {
            String type = place + "." + simpleName;
            if (ClassUtils.isPresent(type, classes)) {
                for (String name : beans.getBeanNamesForType(ClassUtils.resolveClassName(type, classes), true, false)) {
                    Class<?> found = beans.getType(name, false);
                    if (found == null || !found.getSimpleName().equals("Properties" + simpleName)) {
                        return Optional.of(name);
                    }
                }
            }
        }
        return Optional.empty();
    }

    /** Returns the value of the getter; null when the target is null or has no such method. */
    static @Nullable Object call(@Nullable Object target, String getter) {
        Method method = target == null ? null : ReflectionUtils.findMethod(target.getClass(), getter);
        if (method == null) {
            return null;
        }
        ReflectionUtils.makeAccessible(method);
        return ReflectionUtils.invokeMethod(method, target);
    }
}

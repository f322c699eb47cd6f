package io.waybill.spring;

import io.waybill.inbox.Handler;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.MethodIntrospector.MetadataLookup;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;

/** Finds every {@link InboxHandler} of the application once its singletons exist. */
final class InboxHandlers implements SmartInitializingSingleton {
    private final ConfigurableListableBeanFactory beans;
    private final PayloadJson json;
    private final Map<String, Handler<Connection>> byType = new LinkedHashMap<>();
    private final Map<String, String> places = new LinkedHashMap<>();

    InboxHandlers(ConfigurableListableBeanFactory beans, PayloadJson json) {
        this.beans = beans;
        this.json = json;
    }

    Map<String, Handler<Connection>> byType() {
        return byType;
    }

    @Override
    public void afterSingletonsInstantiated() {
        for (String name : beans.getBeanDefinitionNames()) {
            if (!ScopedProxyUtils.isScopedTarget(name)) {
                look(name);
            }
        }
    }

    private void look(String name) {
        Class<?> type = typeOf(name);
        if (type == null) {
            return;
        }
        if (Handler.class.isAssignableFrom(type)) {
            InboxHandler rule = beans.findAnnotationOnBean(name, InboxHandler.class);
            if (rule != null) {
                for (Method method : type.getMethods()) {
                    if (method.getName().equals("handle") && !method.isBridge()) {
                        HandlerRules.check(method, type);
                    }
                }
                register(rule, "bean " + name, HandlerMethod.ofBean(beans, name));
            }
        } else if (AnnotationUtils.isCandidateClass(type, InboxHandler.class)) {
            MetadataLookup<InboxHandler> annotated =
                    method -> AnnotatedElementUtils.findMergedAnnotation(method, InboxHandler.class);
            MethodIntrospector.selectMethods(type, annotated).forEach((method, rule) -> {
                // A @Bean method whose bean is a handler carries the annotation for that bean.
                if (!Handler.class.isAssignableFrom(method.getReturnType())) {
                    HandlerRules.check(method, type);
                    register(rule, place(method), new HandlerMethod(beans, name, method, json));
                }
            });
        }
    }

    /** Null also for a bean whose class cannot be loaded: nobody has asked for it so far, so it is none of ours. */
    private @Nullable Class<?> typeOf(String bean) {
        try {
            return AutoProxyUtils.determineTargetClass(beans, bean);
        } catch (BeansException | LinkageError e) {
            return null;
        }
    }

    private static String place(Method method) {
        return method.getDeclaringClass().getName() + "." + method.getName();
    }

    private void register(InboxHandler rule, String place, Handler<Connection> handler) {
        for (String type : rule.value()) {
            if (byType.put(type, handler) != null) {
                throw new StartFailure(
                        "Event type " + type + " has two handlers: " + places.get(type) + " and " + place + ".",
                        "Call both from one @InboxHandler, so that they share its transaction.");
            }
            places.put(type, place);
        }
    }
}

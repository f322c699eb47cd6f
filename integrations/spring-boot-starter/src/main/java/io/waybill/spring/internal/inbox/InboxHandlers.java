package io.waybill.spring.internal.inbox;

import io.waybill.inbox.Handler;
import io.waybill.retry.RetryPolicy;
import io.waybill.spring.InboxHandler;
import io.waybill.spring.PayloadJson;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.MethodIntrospector.MetadataLookup;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.Order;
import org.springframework.core.annotation.OrderUtils;

/** Finds every {@link InboxHandler} of the application and the handlers of its engines, after its singletons are created. */
final class InboxHandlers<T> implements SmartInitializingSingleton {
    private final ConfigurableListableBeanFactory beans;
    private final PayloadJson json;
    private final ObjectProvider<EngineHandlers> engines;
    private final Class<T> transactionType;
    private final Map<String, List<Found<T>>> found = new LinkedHashMap<>();
    private final Map<String, Handler<T>> byType = new LinkedHashMap<>();

    private record Found<T>(int order, Handler<T> handler, HandlerSettings settings) {}

    InboxHandlers(
            ConfigurableListableBeanFactory beans,
            PayloadJson json,
            ObjectProvider<EngineHandlers> engines,
            Class<T> transactionType) {
        this.beans = beans;
        this.json = json;
        this.engines = engines;
        this.transactionType = transactionType;
    }

    /** Returns the retry policies of the event types whose handlers set one. */
    Map<String, RetryPolicy> retries(RetryPolicy otherwise) {
        Map<String, RetryPolicy> retries = new LinkedHashMap<>();
        found.forEach((type, handlers) -> {
            RetryPolicy policy = HandlerSettings.retry(
                    type, handlers.stream().map(Found::settings).toList(), otherwise);
            if (policy != null) {
                retries.put(type, policy);
            }
        });
        return retries;
    }

    Map<String, Handler<T>> byType() {
        return byType;
    }

    @Override
    public void afterSingletonsInstantiated() {
        // First, so that an event and a local step lock in the same order: the saga, then the application's rows.
        engines.forEach(engine -> register(
                engine.types(),
                new Found<>(Ordered.HIGHEST_PRECEDENCE, handlerOf(engine), new HandlerSettings(null, null, null))));
        for (String name : beans.getBeanDefinitionNames()) {
            if (!ScopedProxyUtils.isScopedTarget(name)) {
                inspect(name);
            }
        }
        found.forEach((type, handlers) -> byType.put(type, inOrder(handlers)));
    }

    @SuppressWarnings("unchecked") // an engine is configured only if its transactions are those of the inbox
    private Handler<T> handlerOf(EngineHandlers engine) {
        return (Handler<T>) engine.handler();
    }

    private void inspect(String name) {
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
                Order order = beans.findAnnotationOnBean(name, Order.class);
                register(rule, name, order == null ? null : order.value(), HandlerMethod.ofBean(beans, name));
            }
        } else if (AnnotationUtils.isCandidateClass(type, InboxHandler.class)) {
            MetadataLookup<InboxHandler> annotated =
                    method -> AnnotatedElementUtils.findMergedAnnotation(method, InboxHandler.class);
            MethodIntrospector.selectMethods(type, annotated).forEach((method, rule) -> {
                // A @Bean method whose bean is a handler carries the annotation for that bean.
                if (!Handler.class.isAssignableFrom(method.getReturnType())) {
                    HandlerRules.check(method, type);
                    String place = method.getDeclaringClass().getName() + "." + method.getName();
                    register(
                            rule,
                            place,
                            OrderUtils.getOrder(method),
                            new HandlerMethod<>(beans, name, method, json, transactionType));
                }
            });
        }
    }

    /**
     * Returns the class of the bean, or null. If the class cannot be loaded, the bean is not in use and has no handlers.
     */
    private @Nullable Class<?> typeOf(String bean) {
        try {
            return AutoProxyUtils.determineTargetClass(beans, bean);
        } catch (BeansException | LinkageError e) {
            return null;
        }
    }

    private void register(InboxHandler rule, String place, @Nullable Integer order, Handler<T> handler) {
        HandlerSettings settings = HandlerSettings.of(rule, place);
        register(
                List.of(rule.value()),
                new Found<>(order == null ? Ordered.LOWEST_PRECEDENCE : order, settings.limited(handler), settings));
    }

    private void register(Collection<String> types, Found<T> added) {
        types.forEach(
                type -> found.computeIfAbsent(type, first -> new ArrayList<>()).add(added));
    }

    /** Returns a handler that calls all of these handlers, one after the other, in the one transaction of the event. */
    private static <T> Handler<T> inOrder(List<Found<T>> handlers) {
        if (handlers.size() == 1) {
            return handlers.get(0).handler();
        }
        List<Handler<T>> all = handlers.stream()
                .sorted(Comparator.comparingInt(Found::order))
                .map(Found::handler)
                .toList();
        return (transaction, event) -> {
            for (Handler<T> handler : all) {
                handler.handle(transaction, event);
            }
        };
    }
}

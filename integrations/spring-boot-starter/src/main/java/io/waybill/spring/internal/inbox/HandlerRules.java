package io.waybill.spring.internal.inbox;

import io.waybill.spring.internal.start.StartFailure;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionAttribute;

/**
 * Refuses handlers whose work is not finished when they return, and handlers that leave the inbox's transaction: their events would
 * count as handled before the work has succeeded.
 */
final class HandlerRules {
    private static final List<Class<?>> LATER = List.of(Future.class, CompletionStage.class, Flow.Publisher.class);
    private static final String CONTINUATION = "kotlin.coroutines.Continuation";

    private HandlerRules() {}

    /** @param bean the class of the bean, which may inherit the method */
    static void check(Method method, Class<?> bean) {
        String place = method.getDeclaringClass().getName() + "." + method.getName();
        if (AnnotatedElementUtils.hasAnnotation(method, Async.class)
                || AnnotatedElementUtils.hasAnnotation(method.getDeclaringClass(), Async.class)
                || AnnotatedElementUtils.hasAnnotation(bean, Async.class)) {
            throw late(
                    place,
                    "is @Async",
                    "Remove @Async. waybill.inbox.workers says how many handlers run at the same time.");
        }
        if (returnsLater(method.getReturnType())) {
            throw late(
                    place,
                    "returns a " + method.getReturnType().getSimpleName(),
                    "Let it return void, and wait for the result inside it (join, block).");
        }
        if (Arrays.stream(method.getParameterTypes())
                .anyMatch(type -> type.getName().equals(CONTINUATION))) {
            throw late(
                    place, "is a suspend function", "Make it a plain function; runBlocking calls suspend functions.");
        }
        TransactionAttribute rule =
                new AnnotationTransactionAttributeSource(false).getTransactionAttribute(method, bean);
        if (rule != null && leaves(rule.getPropagationBehavior())) {
            throw new StartFailure(
                    "The @InboxHandler " + place
                            + " is @Transactional and leaves the inbox's transaction (REQUIRES_NEW,"
                            + " NOT_SUPPORTED or NEVER): its changes and the mark that the event was handled"
                            + " would be committed separately.",
                    "Remove the propagation. The handler runs in a transaction already.");
        }
    }

    private static boolean returnsLater(Class<?> type) {
        return LATER.stream().anyMatch(later -> later.isAssignableFrom(type))
                || (type != void.class
                        && ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null);
    }

    private static boolean leaves(int propagation) {
        return propagation == TransactionDefinition.PROPAGATION_REQUIRES_NEW
                || propagation == TransactionDefinition.PROPAGATION_NOT_SUPPORTED
                || propagation == TransactionDefinition.PROPAGATION_NEVER;
    }

    private static StartFailure late(String place, String what, String remedy) {
        return new StartFailure(
                "The @InboxHandler " + place + " " + what
                        + ": its event would count as handled before the work has succeeded, and the work would run outside of the"
                        + " inbox's transaction.",
                remedy);
    }
}

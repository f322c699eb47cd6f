package io.waybill.spring.internal.inbox;

import io.waybill.Event;
import io.waybill.inbox.Handler;
import io.waybill.inbox.PermanentException;
import io.waybill.spring.PayloadJson;
import io.waybill.spring.internal.start.StartFailure;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.Arrays;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.ReflectionUtils;

/** Calls a bean's method as a handler, with the arguments that its parameters ask for. */
final class HandlerMethod<T> implements Handler<T> {
    private final BeanFactory beans;
    private final String bean;
    private final Method method;
    private final PayloadJson json;
    private final Class<T> transactionType;

    HandlerMethod(BeanFactory beans, String bean, Method method, PayloadJson json, Class<T> transactionType) {
        this.beans = beans;
        this.bean = bean;
        this.method = method;
        this.json = json;
        this.transactionType = transactionType;
        long payloads = Arrays.stream(method.getParameterTypes())
                .filter(type -> type != Event.class && type != transactionType)
                .count();
        if (payloads > 1) {
            throw new StartFailure(
                    "The @InboxHandler " + method + " has " + payloads + " parameters for the payload.",
                    "Keep one of them. Parameters of type Event and " + transactionType.getName()
                            + " are possible as well.");
        }
    }

    /** Returns a handler that passes each event to the bean of this name. The bean implements {@link Handler}. */
    @SuppressWarnings("unchecked") // an application has one kind of transaction
    static <T> Handler<T> ofBean(BeanFactory beans, String name) {
        return (transaction, event) -> ((Handler<T>) beans.getBean(name, Handler.class)).handle(transaction, event);
    }

    @Override
    public void handle(T transaction, Event event) throws Exception {
        Type[] types = method.getGenericParameterTypes();
        Object[] arguments = new Object[types.length];
        for (int i = 0; i < types.length; i++) {
            arguments[i] = types[i] == Event.class
                    ? event
                    : types[i] == transactionType ? transaction : payload(event, types[i]);
        }
        Object target = beans.getBean(bean);
        Method invocable = AopUtils.selectInvocableMethod(method, target.getClass());
        ReflectionUtils.makeAccessible(invocable);
        try {
            invocable.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            ReflectionUtils.rethrowException(e.getTargetException());
        }
    }

    private Object payload(Event event, Type type) {
        if (type == String.class) {
            return event.payload();
        }
        try {
            return json.read(event.payload(), type);
        } catch (RuntimeException e) {
            throw new PermanentException(
                    "The payload of " + event + " cannot be read as " + type.getTypeName() + ": " + e.getMessage()
                            + " If the event is meant for "
                            + method.getDeclaringClass().getName() + "." + method.getName()
                            + ", correct its parameter, deploy, and replay the event. Otherwise discard the event.",
                    e);
        }
    }
}

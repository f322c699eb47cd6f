package io.waybill.spring.internal.outbox;

import io.waybill.spring.EventFactory;
import io.waybill.spring.PublishViaOutbox;
import io.waybill.spring.TransactionalOutbox;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.event.GenericApplicationListener;
import org.springframework.core.Ordered;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** Appends every published {@link PublishViaOutbox} event, on the publisher's thread and therefore in its transaction. */
final class OutboxEventListener implements GenericApplicationListener {
    private final TransactionalOutbox outbox;
    private final EventFactory factory;

    OutboxEventListener(TransactionalOutbox outbox, EventFactory factory) {
        this.outbox = outbox;
        this.factory = factory;
    }

    @Override
    public boolean supportsEventType(ResolvableType eventType) {
        Class<?> payload =
                eventType.as(PayloadApplicationEvent.class).getGeneric().resolve();
        return (payload != null && AnnotatedElementUtils.hasAnnotation(payload, PublishViaOutbox.class))
                || AnnotatedElementUtils.hasAnnotation(eventType.toClass(), PublishViaOutbox.class);
    }

    @Override
    public void onApplicationEvent(ApplicationEvent event) {
        boolean wrapped = event instanceof PayloadApplicationEvent<?> published
                && AnnotatedElementUtils.hasAnnotation(published.getPayload().getClass(), PublishViaOutbox.class);
        Object annotated = wrapped ? ((PayloadApplicationEvent<?>) event).getPayload() : event;
        outbox.append(factory.of(annotated));
    }

    /** An asynchronous multicaster would call the listener outside of the transaction. */
    @Override
    public boolean supportsAsyncExecution() {
        return false;
    }

    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE + 100;
    }
}

package io.waybill.spring.internal.broker;

import static java.util.Objects.requireNonNull;

import io.waybill.spring.WaybillProperties.TransportKind;
import io.waybill.spring.internal.start.StartFailure;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Matches when {@link TransportChoice} selects the given transport. */
abstract class OnTransport extends SpringBootCondition implements ConfigurationCondition {
    private final TransportKind kind;

    private OnTransport(TransportKind kind) {
        this.kind = kind;
    }

    static final class Kafka extends OnTransport {
        Kafka() {
            super(TransportKind.KAFKA);
        }
    }

    static final class RabbitMq extends OnTransport {
        RabbitMq() {
            super(TransportKind.RABBITMQ);
        }
    }

    static final class Nats extends OnTransport {
        Nats() {
            super(TransportKind.NATS);
        }
    }

    /** The choice depends on ConnectionDetails beans, so it is made after beans are registered. */
    @Override
    public ConfigurationPhase getConfigurationPhase() {
        return ConfigurationPhase.REGISTER_BEAN;
    }

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        TransportChoice choice = TransportChoice.of(
                context.getEnvironment(),
                requireNonNull(context.getBeanFactory(), "bean factory"),
                context.getClassLoader());
        ConditionMessage.Builder message = ConditionMessage.forCondition("Waybill's transport");
        StartFailure problem = choice.problem();
        return new ConditionOutcome(
                choice.kind() == kind,
                message.because(problem == null ? "it is " + choice.kind() : problem.description()));
    }
}

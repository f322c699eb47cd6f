package io.waybill.server.cli.command;

import io.waybill.Event;
import io.waybill.server.broker.BrokerAddress;
import io.waybill.server.broker.BrokerKind;
import io.waybill.server.problem.Problem;
import java.util.Optional;

/** Rejects topic names that the broker would reject. Accepts all names when no broker is known. */
public final class TopicRule {
    private final Optional<BrokerKind> broker;

    private TopicRule(Optional<BrokerKind> broker) {
        this.broker = broker;
    }

    public static TopicRule of(ServerLookup servers) {
        return new TopicRule(servers.anyBroker().map(BrokerAddress::kind));
    }

    /** @param place such as "Line 3: "; or empty */
    public void check(Event event, String place) {
        problem(event.destination()).ifPresent(why -> {
            boolean own = event.topic().isPresent();
            throw Problem.usage(place + (own ? "Invalid topic '" : "The event type is not a valid topic: '")
                    + event.destination() + "': " + why + "."
                    + (own ? "" : " Set a topic with --topic."));
        });
    }

    public void check(String topic) {
        problem(topic).ifPresent(why -> {
            throw Problem.usage("Invalid topic '" + topic + "': " + why + ".");
        });
    }

    /** Without a known broker every name is accepted: the relay may publish to any kind of broker. */
    private Optional<String> problem(String topic) {
        return broker.flatMap(kind -> kind.topicProblem(topic));
    }
}

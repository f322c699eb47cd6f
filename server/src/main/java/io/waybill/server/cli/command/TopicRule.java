package io.waybill.server.cli.command;

import io.waybill.Event;
import io.waybill.server.broker.BrokerAddress;
import io.waybill.server.broker.BrokerKind;
import io.waybill.server.problem.Problem;
import java.util.Optional;

/** Refuses topics that the broker would refuse, as far as it is known which broker that is. */
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
            throw Problem.usage(
                    place + (own ? "There can be no topic '" : "There can be no topic with the name of the type '")
                            + event.destination() + "': " + why + "."
                            + (own ? "" : " Give the event a topic of its own with --topic."));
        });
    }

    public void check(String topic) {
        problem(topic).ifPresent(why -> {
            throw Problem.usage("There can be no topic '" + topic + "': " + why + ".");
        });
    }

    /** Without a broker nothing is refused: the relay that publishes it may know another one. */
    private Optional<String> problem(String topic) {
        return broker.flatMap(kind -> kind.topicProblem(topic));
    }
}

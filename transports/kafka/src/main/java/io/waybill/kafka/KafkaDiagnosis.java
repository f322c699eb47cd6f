package io.waybill.kafka;

import io.waybill.WaybillException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.config.ConfigResource;

/**
 * What a Kafka cluster reports about itself. Values that the relay's user may not read are empty.
 *
 * @param brokers advertised addresses as host:port; clients must be able to reach them
 * @param controller id of the node that leads the metadata quorum
 * @param maxMessageBytes the brokers' limit for topics without a limit of their own
 * @param autoCreateTopics whether brokers create a missing topic at the first write
 */
public record KafkaDiagnosis(
        String clusterId,
        List<String> brokers,
        OptionalInt controller,
        OptionalInt maxMessageBytes,
        OptionalInt minInsyncReplicas,
        Optional<Boolean> autoCreateTopics,
        List<Topic> topics) {

    /**
     * One topic; {@code partitions} and {@code replicas} are 0 when it does not exist.
     *
     * @param invalidName what is wrong with the name; empty if Kafka accepts it
     */
    public record Topic(
            String name,
            Optional<String> invalidName,
            int partitions,
            int replicas,
            OptionalInt maxMessageBytes,
            OptionalInt minInsyncReplicas) {
        private static Topic missing(String name, Optional<String> invalidName) {
            return new Topic(name, invalidName, 0, 0, OptionalInt.empty(), OptionalInt.empty());
        }

        public boolean exists() {
            return partitions > 0;
        }
    }

    static KafkaDiagnosis of(ClusterAdmin cluster, Collection<String> topics, Duration limit) {
        Collection<Node> nodes =
                cluster.ask(limit, client -> client.describeCluster().nodes());
        Map<String, String> config = nodes.stream()
                .findFirst()
                .map(node -> cluster.config(ConfigResource.Type.BROKER, node.idString(), limit))
                .orElse(Map.of());
        return new KafkaDiagnosis(
                cluster.ask(limit, client -> client.describeCluster().clusterId()),
                nodes.stream()
                        .map(node -> node.host() + ":" + node.port())
                        .sorted()
                        .toList(),
                controller(cluster, limit),
                number(config, "message.max.bytes"),
                number(config, "min.insync.replicas"),
                Optional.ofNullable(config.get("auto.create.topics.enable")).map(Boolean::valueOf),
                topics.stream().map(topic -> topic(cluster, topic, limit)).toList());
    }

    /** Asks the metadata quorum: in a cluster without ZooKeeper, describeCluster names any broker as the controller. */
    private static OptionalInt controller(ClusterAdmin cluster, Duration limit) {
        try {
            return OptionalInt.of(
                    cluster.ask(limit, client -> client.describeMetadataQuorum().quorumInfo())
                            .leaderId());
        } catch (WaybillException notAllowed) {
            return OptionalInt.empty();
        }
    }

    private static Topic topic(ClusterAdmin cluster, String name, Duration limit) {
        Optional<String> invalidName = TopicNameRules.problem(name);
        if (invalidName.isPresent()) {
            return Topic.missing(name, invalidName);
        }
        List<TopicPartitionInfo> partitions;
        try {
            partitions = cluster.ask(
                            limit,
                            client -> client.describeTopics(List.of(name))
                                    .topicNameValues()
                                    .get(name))
                    .partitions();
        } catch (WaybillException missing) {
            return Topic.missing(name, Optional.empty());
        }
        Map<String, String> config = cluster.config(ConfigResource.Type.TOPIC, name, limit);
        return new Topic(
                name,
                Optional.empty(),
                partitions.size(),
                partitions.get(0).replicas().size(),
                number(config, "max.message.bytes"),
                number(config, "min.insync.replicas"));
    }

    private static OptionalInt number(Map<String, String> config, String name) {
        String text = config.get(name);
        return text == null ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(text));
    }
}

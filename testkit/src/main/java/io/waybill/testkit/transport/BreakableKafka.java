package io.waybill.testkit.transport;

import io.waybill.embedded.FreePort;
import io.waybill.embedded.LocalKafka;
import io.waybill.testkit.network.TcpProxy;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.KafkaFuture;

/** A Kafka broker behind a proxy, whose port it advertises. It does not create topics on first use. */
public final class BreakableKafka extends BreakableServer<LocalKafka> {
    public BreakableKafka(Path folder, Connector connector) {
        this(LocalKafka.builder(folder), connector);
    }

    /** @param builder of any version; its ports and settings are replaced where the contract needs other ones */
    public BreakableKafka(LocalKafka.Builder builder, Connector connector) {
        this(builder, connector, FreePort.find());
    }

    /** The proxy starts before the broker, because the broker advertises its port. */
    private BreakableKafka(LocalKafka.Builder builder, Connector connector, int port) {
        this(builder, connector, port, TcpProxy.to(port));
    }

    private BreakableKafka(LocalKafka.Builder builder, Connector connector, int port, TcpProxy proxy) {
        super(connector, start(builder, port, proxy.port()), proxy);
    }

    private static LocalKafka start(LocalKafka.Builder builder, int port, int advertisedPort) {
        return builder.port(port)
                .advertisedPort(advertisedPort)
                .setting("auto.create.topics.enable", "false")
                .setting("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer")
                .setting("allow.everyone.if.no.acl.found", "true")
                .setting("message.max.bytes", Integer.toString(SIZE_LIMIT))
                .start();
    }

    @Override
    public String address() {
        return "127.0.0.1:" + proxy().port();
    }

    @Override
    public Set<Capability> capabilities() {
        return EnumSet.of(Capability.SIZE_LIMIT, Capability.ILLEGAL_TOPICS, Capability.MISSING_TOPICS);
    }

    @Override
    public void createTopic(String name) {
        createTopic(name, Map.of());
    }

    public void createTopic(String name, Map<String, String> settings) {
        withAdmin(admin -> admin.createTopics(
                        List.of(new NewTopic(name, Optional.of(3), Optional.empty()).configs(settings)))
                .all());
    }

    public void deleteTopic(String name) {
        withAdmin(admin -> admin.deleteTopics(List.of(name)).all());
    }

    public <T> void withAdmin(Function<Admin, KafkaFuture<T>> work) {
        try (Admin admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, address()))) {
            work.apply(admin).get(4, TimeUnit.MINUTES);
        } catch (Exception e) {
            throw new IllegalStateException("The request of the test to Kafka failed", e);
        }
    }

    @Override
    public List<ReceivedMessage> read(String topic, int expectedCount) {
        return TopicReader.read(address(), topic, expectedCount);
    }

    @Override
    public List<String> illegalTopics() {
        return List.of("", ".", "..", "with space", "slash/ed", "ümlaut", "x".repeat(250));
    }
}

package io.waybill.testkit.transport;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import io.waybill.embedded.DebianServer;
import io.waybill.embedded.FolderTree;
import io.waybill.embedded.LocalRabbit;
import io.waybill.testkit.network.TcpProxy;
import io.waybill.testkit.servers.DebianPackage;
import io.waybill.testkit.servers.NotRun;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** A RabbitMQ behind a proxy. Tests share a node, because a start takes ten seconds. */
public final class BreakableRabbit extends BreakableServer<LocalRabbit> {
    private static final String EXCHANGE = "waybill";
    private static final long PATIENCE = Duration.ofMinutes(4).toNanos();

    private BreakableRabbit(Connector connector, LocalRabbit rabbit, TcpProxy proxy) {
        super(connector, rabbit, proxy);
    }

    /** Aborts the test, and reports it as not run, where RabbitMQ is not installed and cannot be installed. */
    public static BreakableRabbit shared(Connector connector) {
        DebianPackage.require("rabbitmq-server", LocalRabbit.PROGRAM);
        return new BreakableRabbit(connector, Node.RABBIT, Node.PROXY);
    }

    /** A node that the test has started with {@link #startNewest} and closes itself. */
    public static BreakableRabbit on(LocalRabbit rabbit, TcpProxy proxy, Connector connector) {
        return new BreakableRabbit(connector, rabbit, proxy);
    }

    /** Starts a {@link DebianServer#RABBITMQ}. Aborts the test, and reports it as not run, where it cannot be downloaded. */
    public static LocalRabbit startNewest(Path folder) {
        DebianServer.RABBITMQ.obstacle().ifPresent(NotRun::because);
        return start(LocalRabbit.builder(folder).newest());
    }

    private static LocalRabbit start(LocalRabbit.Builder builder) {
        return builder.management()
                .setting("max_message_size", Integer.toString(SIZE_LIMIT))
                .start();
    }

    private static final class Node {
        static final LocalRabbit RABBIT = start();
        static final TcpProxy PROXY = TcpProxy.to(RABBIT.port());

        private static LocalRabbit start() {
            try {
                Path folder = Files.createTempDirectory("waybill-rabbit-");
                LocalRabbit rabbit = BreakableRabbit.start(LocalRabbit.builder(folder));
                Runtime.getRuntime().addShutdownHook(new Thread(() -> end(rabbit, folder), "breakable-rabbit"));
                return rabbit;
            } catch (IOException e) {
                throw new UncheckedIOException("Cannot create a folder for RabbitMQ; make java.io.tmpdir writable", e);
            }
        }

        private static void end(LocalRabbit rabbit, Path folder) {
            rabbit.discard();
            try {
                FolderTree.delete(folder);
            } catch (IOException e) {
                System.err.println("Cannot delete " + folder + ": " + e);
            }
        }
    }

    @Override
    public String address() {
        return "rabbitmq://127.0.0.1:" + proxy().port();
    }

    /** The number of open connections through the proxy. */
    public int connections() {
        return proxy().connections();
    }

    @Override
    public Set<Capability> capabilities() {
        return EnumSet.of(Capability.SIZE_LIMIT, Capability.ILLEGAL_TOPICS, Capability.MISSING_TOPICS);
    }

    @Override
    public void createTopic(String name) {
        createQueue(name, name, Map.of());
    }

    public void createQueue(String queue, String topic, Map<String, Object> arguments) {
        with(channel -> {
            channel.exchangeDeclare(EXCHANGE, "topic", true);
            channel.queueDeclare(queue, true, false, false, arguments);
            channel.queueBind(queue, EXCHANGE, topic);
            return true;
        });
    }

    /** Code of a test that uses the plain client. */
    @FunctionalInterface
    public interface Work<T> {
        T in(Channel channel) throws IOException;
    }

    /** Connects the plain client directly, without the proxy, and runs the code. */
    public <T> T with(Work<T> work) {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setPort(server().port());
        try (Connection connection = factory.newConnection("test");
                Channel channel = connection.createChannel()) {
            return work.in(channel);
        } catch (Exception e) {
            throw new IllegalStateException("The request of the test to RabbitMQ failed", e);
        }
    }

    @Override
    public List<ReceivedMessage> read(String topic, int expectedCount) {
        return with(channel -> {
            List<ReceivedMessage> received = new ArrayList<>();
            long end = System.nanoTime() + PATIENCE;
            while (System.nanoTime() < end) {
                GetResponse next =
                        channel.basicGet(topic, false); // not acknowledged, so the message stays in the queue
                if (next != null) {
                    received.add(received(next));
                } else if (received.size() >= expectedCount) {
                    break;
                } else {
                    pause();
                }
            }
            return received;
        });
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(20);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static ReceivedMessage received(GetResponse response) {
        AMQP.BasicProperties properties = response.getProps();
        Map<String, String> headers = new HashMap<>();
        properties.getHeaders().forEach((name, value) -> headers.put(name, value.toString()));
        headers.put("message-id", properties.getMessageId());
        headers.put("delivery-mode", String.valueOf(properties.getDeliveryMode()));
        return new ReceivedMessage(String.valueOf(headers.get("aggregate-id")), headers, response.getBody());
    }

    @Override
    public List<String> illegalTopics() {
        return List.of("", "x".repeat(256), "ü".repeat(128));
    }

    /** RabbitMQ flushes queue definitions late, so a new queue could be lost. They are flushed before the kill. */
    @Override
    public void kill() {
        server().control("eval", "mnesia:sync_log().");
        super.kill();
    }

    /** Only ends the faults: other tests use the node. The shared one ends with the JVM. */
    @Override
    public void close() {
        heal();
    }
}

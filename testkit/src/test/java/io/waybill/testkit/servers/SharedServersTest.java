package io.waybill.testkit.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.waybill.embedded.FreePort;
import io.waybill.embedded.LocalKafka;
import io.waybill.testkit.network.TcpProxy;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(240)
final class SharedServersTest {

    @Test
    void freshDatabasesAreEmptyAndApart() throws SQLException {
        String first = SharedServers.freshDatabase();
        String second = SharedServers.freshDatabase();

        try (Connection connection = DriverManager.getConnection(first)) {
            connection.createStatement().execute("CREATE TABLE parcel (number int)");
        }

        assertThat(tables(first)).isEqualTo(1);
        assertThat(tables(second)).isZero();
    }

    @Test
    void theSharedBrokerServes() throws Exception {
        try (Admin admin =
                Admin.create(Map.of("bootstrap.servers", SharedServers.kafka().bootstrapServers()))) {
            assertThat(admin.describeCluster().nodes().get(4, TimeUnit.MINUTES)).hasSize(1);
        }
        assertThat(SharedServers.kafka()).isSameAs(SharedServers.kafka());
    }

    @Test
    void aBrokerThatAdvertisesAProxyIsReachedOnlyThroughIt(@TempDir Path folder) throws Exception {
        int brokerPort = FreePort.find();
        try (TcpProxy proxy = TcpProxy.to(brokerPort);
                LocalKafka kafka = LocalKafka.builder(folder)
                        .port(brokerPort)
                        .advertisedPort(proxy.port())
                        .start();
                var producer = new KafkaProducer<>(
                        Map.of("bootstrap.servers", kafka.bootstrapServers(), "reconnect.backoff.max.ms", "100"),
                        new StringSerializer(),
                        new StringSerializer())) {
            producer.send(new ProducerRecord<>("parcels", "through the proxy")).get(4, TimeUnit.MINUTES);

            proxy.cut();
            var stuck = producer.send(new ProducerRecord<>("parcels", "after the cut"));
            await().during(Duration.ofMillis(500)).until(() -> !stuck.isDone());

            proxy.heal();
            assertThat(stuck.get(4, TimeUnit.MINUTES).topic()).isEqualTo("parcels");
        }
    }

    @Test
    void serversOfAKilledTestJvmAreClearedByTheNext(@TempDir Path temporary) throws Exception {
        Process owner = run(temporary, "stay");
        String orphan = owner.inputReader(StandardCharsets.UTF_8).readLine();
        owner.destroyForcibly().waitFor();
        DriverManager.getConnection(orphan).close();

        ServersFolder.clearLeftovers(temporary);

        assertThatThrownBy(() -> DriverManager.getConnection(orphan)).hasMessageContaining("refused");
        assertThat(temporary).isDirectoryNotContaining("glob:**waybill-servers-*");
    }

    @Test
    void aTestJvmThatExitsLeavesNothing(@TempDir Path temporary) throws Exception {
        Process owner = run(temporary, "exit");
        String orphan = owner.inputReader(StandardCharsets.UTF_8).readLine();

        assertThat(owner.waitFor()).isZero();

        assertThatThrownBy(() -> DriverManager.getConnection(orphan)).hasMessageContaining("refused");
        assertThat(temporary).isDirectoryNotContaining("glob:**waybill-servers-*");
    }

    /** The program of the JVMs above. */
    static final class Owner {
        public static void main(String[] arguments) throws InterruptedException {
            System.out.println(SharedServers.freshDatabase());
            if (arguments[0].equals("stay")) {
                Thread.sleep(Long.MAX_VALUE);
            }
        }
    }

    private static Process run(Path temporary, String behaviour) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-Djava.io.tmpdir=" + temporary,
                        Owner.class.getName(),
                        behaviour)
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
        return builder.start();
    }

    private static int tables(String jdbcUrl) throws SQLException {
        try (Connection connection = DriverManager.getConnection(jdbcUrl);
                ResultSet result = connection
                        .createStatement()
                        .executeQuery("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'")) {
            result.next();
            return result.getInt(1);
        }
    }
}

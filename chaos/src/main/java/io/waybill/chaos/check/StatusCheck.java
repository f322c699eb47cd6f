package io.waybill.chaos.check;

import static org.awaitility.Awaitility.await;

import io.waybill.chaos.cluster.Cluster;
import io.waybill.chaos.cluster.ClusterProcess;
import io.waybill.embedded.FreePort;
import io.waybill.processes.ChildProcess;
import io.waybill.server.Main;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.core.ConditionTimeoutException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Compares status and metrics of the waybill program with SQL, and checks that the audit log is empty (I9). */
final class StatusCheck {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Cluster cluster;
    private final List<String> violations = new ArrayList<>();

    private StatusCheck(Cluster cluster) {
        this.cluster = cluster;
    }

    /** Repeats the comparison for a while, because a relay that just started is not registered yet. */
    static List<String> violations(Cluster cluster) throws SQLException, InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        List<String> found = violationsNow(cluster);
        while (!found.isEmpty() && System.nanoTime() < end) {
            found = violationsNow(cluster);
        }
        return found;
    }

    private static List<String> violationsNow(Cluster cluster) throws SQLException, InterruptedException {
        StatusCheck check = new StatusCheck(cluster);
        long pending = check.count("state NOT IN ('PUBLISHED', 'DEAD_LETTER', 'DISCARDED')");
        long dead = check.count("state = 'DEAD_LETTER'");
        long running = cluster.relays().stream().filter(ClusterProcess::running).count();
        JsonNode status = check.status();
        check.compare("status: pending", status.path("pending").asLong(-1), pending);
        check.compare("status: deadLetters", status.path("deadLetters").asLong(-1), dead);
        check.compare("status: liveRelays", status.path("liveRelays").asLong(-1), running);
        check.compare("audit rows", cluster.database().number("SELECT count(*) FROM outbox_audit"), 0);
        try {
            String metrics = check.metrics();
            check.compare("metric outbox_pending_count", metric(metrics, "outbox_pending_count"), pending);
            check.compare("metric outbox_dead_letters", metric(metrics, "outbox_dead_letters"), dead);
        } catch (ConditionTimeoutException silent) {
            check.violations.add(String.valueOf(silent.getMessage()));
        }
        return check.violations;
    }

    private long count(String condition) throws SQLException {
        return cluster.database().number("SELECT count(*) FROM outbox_states WHERE " + condition);
    }

    private JsonNode status() throws InterruptedException {
        try (ChildProcess command = ChildProcess.run(
                Main.class,
                List.of(),
                "status",
                "--json",
                "--database",
                cluster.database().jdbcUrl())) {
            if (!command.endsWithin(PATIENCE)) {
                violations.add("waybill status did not finish within " + PATIENCE.toSeconds() + " s");
            }
            String text = String.join("\n", command.output());
            int start = text.indexOf('{');
            return JsonMapper.shared().readTree(start < 0 ? "{}" : text.substring(start));
        }
    }

    /** Reads the metrics of a relay that is started for this purpose. */
    private String metrics() throws InterruptedException {
        int port = FreePort.find();
        try (ChildProcess relay = ChildProcess.run(
                Main.class,
                List.of(),
                "relay",
                "--database",
                cluster.database().jdbcUrl(),
                "--broker",
                "kafka://" + cluster.broker().bootstrapServers(),
                "--http-port",
                Integer.toString(port))) {
            HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics"))
                    .timeout(PATIENCE)
                    .build();
            HttpClient client = HttpClient.newHttpClient();
            String text = await("the relay serves its metrics")
                    .atMost(PATIENCE)
                    .ignoreExceptions() // the port is not open yet
                    .until(
                            () -> client.send(request, HttpResponse.BodyHandlers.ofString())
                                    .body(),
                            metrics -> metrics.contains("outbox_pending_count"));
            relay.terminate();
            relay.endsWithin(PATIENCE);
            return text;
        }
    }

    private static long metric(String metrics, String name) {
        Matcher line =
                Pattern.compile("(?m)^" + name + "(?:\\{[^}]*})? ([0-9.E+-]+)$").matcher(metrics);
        return line.find() ? (long) Double.parseDouble(line.group(1)) : -1;
    }

    private void compare(String what, long reported, long expected) {
        if (reported != expected) {
            violations.add(String.format(Locale.ROOT, "%s: %d, expected %d", what, reported, expected));
        }
    }
}

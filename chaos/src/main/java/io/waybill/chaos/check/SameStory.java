package io.waybill.chaos.check;

import static org.awaitility.Awaitility.await;

import io.waybill.chaos.process.ChildProcess;
import io.waybill.chaos.world.Member;
import io.waybill.chaos.world.World;
import io.waybill.embedded.FreePort;
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

/** I9: at rest the waybill program's status and metrics say what SQL says, and nobody has touched anything. */
final class SameStory {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final World world;
    private final List<String> violations = new ArrayList<>();

    private SameStory(World world) {
        this.world = world;
    }

    /** A process that was started a moment ago is not on the roll yet: what differs is asked again, for a while. */
    static List<String> violations(World world) throws SQLException, InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        List<String> found = violationsNow(world);
        while (!found.isEmpty() && System.nanoTime() < end) {
            found = violationsNow(world);
        }
        return found;
    }

    private static List<String> violationsNow(World world) throws SQLException, InterruptedException {
        SameStory story = new SameStory(world);
        long pending = story.count("state NOT IN ('PUBLISHED', 'DEAD_LETTER', 'DISCARDED')");
        long dead = story.count("state = 'DEAD_LETTER'");
        long running = world.relays().stream().filter(Member::running).count();
        JsonNode status = story.status();
        story.compare("status: pending", status.path("pending").asLong(-1), pending);
        story.compare("status: deadLetters", status.path("deadLetters").asLong(-1), dead);
        story.compare("status: liveRelays", status.path("liveRelays").asLong(-1), running);
        story.compare("audit rows", world.database().number("SELECT count(*) FROM outbox_audit"), 0);
        try {
            String metrics = story.metrics();
            story.compare("metric outbox_pending_count", metric(metrics, "outbox_pending_count"), pending);
            story.compare("metric outbox_dead_letters", metric(metrics, "outbox_dead_letters"), dead);
        } catch (ConditionTimeoutException silent) {
            story.violations.add(String.valueOf(silent.getMessage()));
        }
        return story.violations;
    }

    private long count(String condition) throws SQLException {
        return world.database().number("SELECT count(*) FROM outbox_states WHERE " + condition);
    }

    private JsonNode status() throws InterruptedException {
        try (ChildProcess command = ChildProcess.run(
                Main.class,
                List.of(),
                "status",
                "--json",
                "--database",
                world.database().jdbcUrl())) {
            if (!command.endsWithin(PATIENCE)) {
                violations.add("waybill status did not end within " + PATIENCE.toSeconds() + " s");
            }
            String text = String.join("\n", command.output());
            int start = text.indexOf('{');
            return JsonMapper.shared().readTree(start < 0 ? "{}" : text.substring(start));
        }
    }

    /** From a relay of the program itself, which comes and goes while nothing is to be done. */
    private String metrics() throws InterruptedException {
        int port = FreePort.find();
        try (ChildProcess relay = ChildProcess.run(
                Main.class,
                List.of(),
                "relay",
                "--database",
                world.database().jdbcUrl(),
                "--broker",
                "kafka://" + world.broker().bootstrapServers(),
                "--http-port",
                Integer.toString(port))) {
            HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics"))
                    .timeout(PATIENCE)
                    .build();
            HttpClient client = HttpClient.newHttpClient();
            String text = await("the relay serves its metrics")
                    .atMost(PATIENCE)
                    .ignoreExceptions() // it does not listen yet
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

    private void compare(String what, long said, long is) {
        if (said != is) {
            violations.add(String.format(Locale.ROOT, "%s: %d, and it should be %d", what, said, is));
        }
    }
}

package io.waybill.examples.social;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.Event;
import io.waybill.examples.social.source.Catalogue;
import io.waybill.inbox.InboxOutcome;
import io.waybill.random.Draw;
import io.waybill.random.RandomCases;
import io.waybill.testkit.servers.SharedServers;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Events and the read models that they lead to, without a broker. */
@Timeout(120)
@SuppressWarnings("NullAway.Init") // JUnit calls open before each test
final class EventsTest {
    private SocialCommerce system;
    private Consumers consumers;
    private ReadModels models;
    private Stories stories;

    @BeforeEach
    @Timeout(660) // the first time, DocumentDB is downloaded
    void open() throws InterruptedException {
        system = new SocialCommerce(
                SharedServers.mongoUri(),
                SharedServers.freshMongoName(),
                SharedServers.kafka().bootstrapServers());
        consumers = new Consumers(system);
        models = new ReadModels(system);
        stories = new Stories(system.source());
        stories.found();
        consumers.appended().forEach(consumers::deliver);
    }

    @AfterEach
    void close() {
        if (system != null) {
            consumers.close();
            system.models().drop();
            system.close();
        }
    }

    @Test
    void afterEachEventTheReadModelsEqualTheSource() {
        Set<String> types = new TreeSet<>();
        List<Queue<Runnable>> all = List.of(
                stories.user(),
                stories.order(0),
                stories.order(1),
                stories.order(2),
                stories.post(),
                stories.product(),
                stories.promotion(),
                stories.community(),
                stories.supplier());
        for (Queue<Runnable> story : all) {
            while (!story.isEmpty()) {
                story.remove().run();
                List<Event> events = consumers.appended();
                assertThat(events).as("one event for each change").hasSize(1);
                Event event = events.get(0);
                types.add(event.type());
                assertThat(consumers.deliver(event)).isSubsetOf(InboxOutcome.PROCESSED, InboxOutcome.SKIPPED);
                models.assertEqualSource();
            }
        }
        assertThat(types)
                .allMatch(Catalogue::knows)
                .containsAll(Catalogue.types(Catalogue.USER))
                .containsAll(Catalogue.types(Catalogue.ORDER))
                .contains(
                        "post.deleted",
                        "product.deleted",
                        "promotion.ended",
                        "community.member_removed",
                        "supplier.verified");
    }

    /** A relay and a broker keep the order; a consumer must not depend on it. */
    @Test
    void shuffledAndDuplicatedEventsLeadToTheSameReadModels() {
        RandomCases.check(4, draw -> {
            for (Queue<Runnable> story :
                    List.of(stories.user(), stories.order(draw.integer(0, 2)), stories.post(), stories.community())) {
                story.forEach(Runnable::run);
            }
            for (Event event : shuffled(draw, consumers.appended())) {
                consumers.deliver(event);
            }
            consumers.applyWaiting();
            models.assertEqualSource();
        });
    }

    private static List<Event> shuffled(Draw draw, List<Event> events) {
        List<Event> shuffled = new ArrayList<>(events);
        for (Event event : events) {
            if (draw.flag()) {
                shuffled.add(event);
            }
        }
        for (int i = shuffled.size() - 1; i > 0; i--) {
            Collections.swap(shuffled, i, draw.integer(0, i));
        }
        return shuffled;
    }

    @Test
    void anEventOfAnUnknownTypeIsSkipped() {
        assertThat(consumers.deliver(event("user.teleported", 1, "{}"))).containsExactly(InboxOutcome.SKIPPED);
        assertThat(models.row("user_cards", "user_id", "u1")).isNull();
    }

    @Test
    void aNewOptionalFieldIsTolerated() {
        String data =
                "{\"user_id\":\"u1\",\"role\":\"MEMBER\",\"status\":\"PENDING\",\"created_at\":\"2026-01-01T00:00:00Z\""
                        + ",\"planet\":{\"name\":\"Mars\"}}";
        assertThat(consumers.deliver(event("user.created", 1, data))).containsExactly(InboxOutcome.PROCESSED);
        assertThat(models.row("user_cards", "user_id", "u1")).containsEntry("role", "MEMBER");
    }

    @Test
    void anEventWithoutARequiredFieldBecomesADeadLetterThatNamesTheField() {
        Event broken = event("user.created", 1, "{\"user_id\":\"u1\",\"status\":\"PENDING\"}");
        assertThat(consumers.deliver(broken)).containsExactly(InboxOutcome.DEAD_LETTERED);
        List<Event> letters = consumers.appended();
        assertThat(letters).hasSize(1);
        assertThat(letters.get(0).destination()).isEqualTo("sc.dlq.proj-user-cards");
        assertThat(letters.get(0).partitionKey()).isEqualTo(broken.id().toString());

        assertThat(consumers.deliver(letters.get(0))).containsExactly(InboxOutcome.PROCESSED);
        assertThat(models.row("dlq_events", "event_id", broken.id().toString()))
                .containsEntry("consumer_group", "sc-proj-user-cards")
                .hasEntrySatisfying(
                        "error",
                        error -> assertThat((String) error)
                                .contains("The required field role of event user.created/u1", "is missing"));
        assertThat(models.row("user_cards", "user_id", "u1")).isNull();
    }

    private static Event event(String type, long version, String data) {
        return Event.builder(type, Catalogue.USER, "u1")
                .topic(Catalogue.topic(Catalogue.USER))
                .aggregateVersion(version)
                .payload(data)
                .build();
    }
}

package io.waybill.examples.social.projection;

import static io.waybill.examples.social.source.Catalogue.COMMUNITY;
import static io.waybill.examples.social.source.Catalogue.ORDER;
import static io.waybill.examples.social.source.Catalogue.USER;

import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoDatabase;
import io.waybill.examples.social.source.Catalogue;
import io.waybill.examples.social.source.Source;
import java.util.List;
import java.util.function.BiConsumer;
import org.bson.Document;

/**
 * {@code user_cards}: the profile of each user, with the number of orders and communities. Events of a user change the card by version;
 * events of orders and communities add to its counts.
 */
final class UserCards extends Projection {
    static final String MODEL = "user_cards";
    private static final String STATUS = Source.STATUS;
    private static final String ORDERS = "total_orders";
    private static final String JOINED = "communities_joined";
    private static final List<String> COPIED =
            List.of("display_name", "avatar_url", "bio", "role", STATUS, "follower_count", "following_count");

    private final ReadModel cards;

    UserCards(MongoDatabase database) {
        this(new ReadModel(database, MODEL, "user_id", UserCards::blank));
    }

    private UserCards(ReadModel cards) {
        super(
                "user-cards",
                "sc-proj-user-cards",
                List.of(Catalogue.topic(USER), Catalogue.topic(ORDER), Catalogue.topic(COMMUNITY)),
                cards);
        this.cards = cards;
        user("created", (card, event) -> card.putAll(event.texts("role", STATUS)));
        user("verified", (card, event) -> card.put(STATUS, event.text("new_status")));
        user("profile_updated", (card, event) -> card.putAll(event.texts("display_name", "avatar_url", "bio")));
        user("role_changed", (card, event) -> card.put("role", event.text("new_role")));
        user("suspended", (card, event) -> card.put(STATUS, "SUSPENDED"));
        user("reactivated", (card, event) -> card.put(STATUS, "ACTIVE"));
        user("locked", (card, event) -> card.put(STATUS, "LOCKED"));
        user(
                "deleted",
                (card, event) -> card.append(STATUS, "DELETED")
                        .append("display_name", "")
                        .append("avatar_url", "")
                        .append("bio", ""));
        user("stats_changed", UserCards::stats);
        user("login_succeeded", (card, event) -> {});
        user("login_failed", (card, event) -> {});
        on("order.created", (session, event) -> add(session, event.text("customer_id"), ORDERS, 1));
        on("community.member_joined", (session, event) -> add(session, event.text("user_id"), JOINED, 1));
        on("community.member_left", (session, event) -> add(session, event.text("user_id"), JOINED, -1));
        on("community.member_removed", (session, event) -> add(session, event.text("user_id"), JOINED, -1));
    }

    private static Document blank(Document card) {
        return card.append("display_name", "")
                .append("avatar_url", "")
                .append("bio", "")
                .append("role", "")
                .append(STATUS, "")
                .append("follower_count", 0L)
                .append("following_count", 0L)
                .append(ORDERS, 0L)
                .append(JOINED, 0L)
                .append("entity_version", 0L);
    }

    private void user(String action, BiConsumer<Document, EventData> change) {
        on(
                USER + "." + action,
                (session, event) -> cards.change(session, event.entityId(), card -> {
                    change.accept(card, event);
                    card.put("entity_version", event.entityVersion());
                }));
    }

    /** Newer producers may count more than this card shows. */
    private static void stats(Document card, EventData event) {
        String type = event.text("stat_type");
        long value = event.count("new_value");
        if (type.equals("follower_count") || type.equals("following_count")) {
            card.put(type, value);
        }
    }

    private void add(ClientSession session, String user, String field, long delta) {
        cards.change(session, user, card -> card.put(field, card.getLong(field) + delta));
    }

    @Override
    void copy(SourceCopy source) {
        source.each(
                USER,
                (session, user) -> cards.change(session, user.getString("_id"), card -> {
                    COPIED.forEach(field -> card.put(field, user.get(field)));
                    card.put("entity_version", user.getLong(Source.VERSION));
                }));
        source.each(ORDER, (session, order) -> add(session, order.getString("customer_id"), ORDERS, 1));
        source.each(
                COMMUNITY,
                (session, community) ->
                        community.getList("members", String.class).forEach(member -> add(session, member, JOINED, 1)));
    }
}

package io.waybill.examples.social.source;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The entities, their collections and topics, and the types of their events. */
public final class Catalogue {
    public static final String USER = "user";
    public static final String SUPPLIER = "supplier";
    public static final String COMMUNITY = "community";
    public static final String PRODUCT = "product";
    public static final String PROMOTION = "promotion";
    public static final String POST = "post";
    public static final String ORDER = "order";

    private static final Map<String, String> COLLECTIONS = Map.of(
            USER, "users",
            SUPPLIER, "suppliers",
            COMMUNITY, "communities",
            PRODUCT, "products",
            PROMOTION, "promotions",
            POST, "posts",
            ORDER, "orders");

    private static final Map<String, String> ACTIONS = Map.of(
            USER,
                    "created verified profile_updated role_changed suspended reactivated deleted stats_changed"
                            + " login_succeeded login_failed locked",
            SUPPLIER,
                    "created verification_submitted verified verification_rejected profile_updated suspended"
                            + " stats_changed",
            COMMUNITY,
                    "created updated visibility_changed member_joined member_left member_removed deleted"
                            + " stats_changed",
            PRODUCT,
                    "created updated published unpublished price_changed inventory_adjusted inventory_reserved"
                            + " inventory_released variant_added deleted",
            PROMOTION,
                    "created submitted approved_admin approved_leader rejected_admin rejected_leader scheduled"
                            + " activated paused resumed ended cancelled impression clicked converted",
            POST,
                    "created published updated global_requested global_approved global_rejected pinned unpinned"
                            + " hidden deleted stats_changed",
            ORDER,
                    "created payment_initiated payment_succeeded payment_failed confirmed item_processing"
                            + " item_shipped item_delivered status_changed cancelled refund_initiated"
                            + " attribution_recorded");

    private static final Set<String> TYPES =
            ACTIONS.keySet().stream().flatMap(Catalogue::stream).collect(Collectors.toUnmodifiableSet());

    private Catalogue() {}

    public static Set<String> entities() {
        return new TreeSet<>(COLLECTIONS.keySet());
    }

    public static String collection(String entity) {
        String name = COLLECTIONS.get(entity);
        if (name == null) {
            throw new IllegalArgumentException("There is no entity " + entity + ".");
        }
        return name;
    }

    public static String topic(String entity) {
        return "sc.domain." + entity;
    }

    /** Whether this is a type of the design. Newer producers may send others. */
    public static boolean knows(String eventType) {
        return TYPES.contains(eventType);
    }

    public static List<String> types(String entity) {
        return stream(entity).toList();
    }

    private static Stream<String> stream(String entity) {
        return Stream.of(ACTIONS.getOrDefault(entity, "").split(" ")).map(action -> entity + "." + action);
    }
}

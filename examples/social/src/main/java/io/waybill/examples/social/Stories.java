package io.waybill.examples.social;

import static io.waybill.examples.social.source.Catalogue.COMMUNITY;
import static io.waybill.examples.social.source.Catalogue.PRODUCT;
import static io.waybill.examples.social.source.Catalogue.PROMOTION;
import static io.waybill.examples.social.source.Catalogue.USER;

import io.waybill.examples.social.source.Communities;
import io.waybill.examples.social.source.Orders;
import io.waybill.examples.social.source.Posts;
import io.waybill.examples.social.source.Products;
import io.waybill.examples.social.source.Promotions;
import io.waybill.examples.social.source.Source;
import io.waybill.examples.social.source.Suppliers;
import io.waybill.examples.social.source.Users;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.bson.Document;

/**
 * What happens in the shop, as sequences of changes of one entity. Together they contain every event of users and orders, and a full
 * path for each other entity.
 */
final class Stories {
    private static final List<String> NAMES = List.of("Ada", "Grace", "Linus", "Margaret", "Edsger", "Barbara");
    private static final List<String> GOODS = List.of("Honey", "Soap", "Candle", "Basket", "Scarf", "Mug");

    private final Source source;
    private final Users users;
    private final Orders orders;
    private final Posts posts;
    private final Products products;
    private final Promotions promotions;
    private final Suppliers suppliers;
    private final Communities communities;
    private int told;

    Stories(Source source) {
        this.source = source;
        this.users = new Users(source);
        this.orders = new Orders(source);
        this.posts = new Posts(source);
        this.products = new Products(source);
        this.promotions = new Promotions(source);
        this.suppliers = new Suppliers(source);
        this.communities = new Communities(source);
    }

    /** The steps of one entity. The first one creates it. */
    private static final class Steps {
        final Queue<Runnable> queue = new ArrayDeque<>();
        private final AtomicReference<String> id = new AtomicReference<>("");

        Steps(Supplier<String> create) {
            queue.add(() -> id.set(create.get()));
        }

        Steps then(Consumer<String> change) {
            queue.add(() -> change.accept(id.get()));
            return this;
        }
    }

    /** Creates what the other stories refer to, if the source has none yet. */
    void found() {
        if (source.collection(PROMOTION).find().first() != null) {
            return;
        }
        String leader = users.create("LEADER");
        users.verify(leader);
        users.updateProfile(leader, "Ada", "leads the first community");
        String supplier = suppliers.create("Apiary");
        String community = communities.create(leader, "Neighbours");
        String product = products.create(supplier, "Honey", 900, 100);
        products.publish(product);
        promotions.create(supplier, product, community, "Honey for neighbours");
    }

    /** Returns the steps of the next story. The kinds take turns. */
    Queue<Runnable> next() {
        told++;
        return switch (told % 8) {
            case 1 -> user();
            case 2, 5 -> order(told % 3);
            case 3 -> post();
            case 4 -> product();
            case 6 -> promotion();
            case 7 -> community();
            default -> supplier();
        };
    }

    Queue<Runnable> user() {
        String name = NAMES.get(told % NAMES.size());
        return new Steps(() -> users.create("MEMBER"))
                .then(users::verify)
                .then(id -> users.updateProfile(id, name, "member " + told))
                .then(id -> users.changeStats(id, "follower_count", 3))
                .then(users::failLogin)
                .then(users::logIn)
                .then(id -> users.changeRole(id, "LEADER", "is active", "admin"))
                .then(id -> users.changeStats(id, "following_count", 5))
                .then(id -> users.suspend(id, "spam", "admin"))
                .then(users::reactivate)
                .then(users::lock)
                .then(users::reactivate)
                .then(told % 5 == 0 ? users::delete : users::logIn)
                .queue;
    }

    /** @param outcome 0: delivered; 1: paid at the second attempt, then delivered; 2: cancelled and refunded */
    Queue<Runnable> order(int outcome) {
        Steps steps = new Steps(() -> orders.create(any(USER).getString("_id"), List.of(line(1), line(2))));
        steps.then(this::attribute).then(orders::initiatePayment);
        if (outcome == 1) {
            steps.then(id -> orders.failPayment(id, "the card has expired")).then(orders::initiatePayment);
        }
        steps.then(orders::succeedPayment).then(orders::confirm);
        if (outcome == 2) {
            return steps.then(id -> orders.cancel(id, "customer", "ordered twice"))
                    .then(orders::initiateRefund)
                    .queue;
        }
        for (int item : List.of(0, 1)) {
            steps.then(id -> orders.processItem(id, item));
        }
        for (int item : List.of(0, 1)) {
            steps.then(id -> orders.shipItem(id, item, "Postal service"));
            steps.then(id -> orders.deliverItem(id, item));
        }
        return steps.then(id -> orders.changeStatus(id, "COMPLETED")).queue;
    }

    private Orders.Line line(long quantity) {
        Document product = any(PRODUCT);
        return new Orders.Line(
                product.getString("_id"),
                product.getString("supplier_id"),
                product.getString("title"),
                quantity,
                product.getLong("price_cents"));
    }

    private void attribute(String order) {
        Document promotion = any(PROMOTION);
        Document community = any(COMMUNITY);
        orders.recordAttribution(
                order,
                promotion.getString("_id"),
                community.getString("_id"),
                community.getString("leader_id"),
                promotion.getString("supplier_id"));
    }

    Queue<Runnable> post() {
        return new Steps(() -> posts.create(
                        any(USER).getString("_id"), any(COMMUNITY).getString("_id"), "Post " + told, "Who is in?"))
                .then(posts::publish)
                .then(id -> posts.update(id, "Post " + told, "Who is in on Friday?"))
                .then(posts::requestGlobal)
                .then(posts::approveGlobal)
                .then(posts::like)
                .then(posts::pin)
                .then(posts::like)
                .then(posts::unpin)
                .then(posts::hide)
                .then(posts::delete)
                .queue;
    }

    Queue<Runnable> product() {
        String title = GOODS.get(told % GOODS.size());
        return new Steps(() -> products.create(newest(PRODUCT).getString("supplier_id"), title, 1_200, 20))
                .then(id -> products.update(id, title + ", handmade"))
                .then(id -> products.addVariant(id, "large"))
                .then(products::publish)
                .then(id -> products.changePrice(id, 1_100))
                .then(id -> products.adjustInventory(id, 5))
                .then(id -> products.reserve(id, 2))
                .then(id -> products.release(id, 1))
                .then(told % 3 == 0 ? products::unpublish : id -> products.changePrice(id, 1_150))
                .then(told % 3 == 0 ? products::delete : id -> products.adjustInventory(id, 1))
                .queue;
    }

    Queue<Runnable> promotion() {
        Steps steps = new Steps(() -> {
            Document product = newest(PRODUCT);
            return promotions.create(
                    product.getString("supplier_id"),
                    product.getString("_id"),
                    newest(COMMUNITY).getString("_id"),
                    product.getString("title") + " of the week");
        });
        Promotions.launch().forEach(step -> steps.then(id -> promotions.move(id, step.get(0), step.get(1))));
        List.of("impression", "clicked", "converted").forEach(action -> steps.then(id -> promotions.count(id, action)));
        return steps.then(promotions::pause).then(promotions::resume).then(promotions::end).queue;
    }

    Queue<Runnable> community() {
        String member = any(USER).getString("_id");
        return new Steps(() -> communities.create(any(USER).getString("_id"), "Community " + told))
                .then(id -> communities.update(id, "Community " + told + " of friends"))
                .then(id -> communities.changeVisibility(id, "PUBLIC"))
                .then(id -> communities.join(id, member))
                .then(id -> communities.leave(id, member))
                .then(id -> communities.join(id, member))
                .then(id -> communities.remove(id, member))
                .then(id -> communities.join(id, member))
                .queue;
    }

    Queue<Runnable> supplier() {
        return new Steps(() -> suppliers.create("Workshop " + told))
                .then(suppliers::submitVerification)
                .then(suppliers::verify)
                .then(id -> suppliers.updateProfile(id, "Workshop " + told + " and daughters"))
                .queue;
    }

    /** Returns one of the newest entities; the choice differs from story to story. */
    private Document any(String entity) {
        List<Document> newest = newest(entity, 5);
        return newest.get(told % newest.size());
    }

    private Document newest(String entity) {
        return newest(entity, 1).get(0);
    }

    private List<Document> newest(String entity, int count) {
        List<Document> found = source.newest(entity, count);
        if (found.isEmpty()) {
            throw new IllegalStateException("The source has no " + entity + " yet. Call found() first.");
        }
        return found;
    }
}

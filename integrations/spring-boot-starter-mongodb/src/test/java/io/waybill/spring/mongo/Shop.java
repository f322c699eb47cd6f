package io.waybill.spring.mongo;

import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Updates.inc;

import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.model.UpdateOptions;
import io.waybill.Event;
import io.waybill.spring.InboxHandler;
import io.waybill.spring.TransactionalOutbox;
import java.util.concurrent.atomic.AtomicInteger;
import org.bson.Document;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.data.mongodb.MongoTransactionManager;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.query.Criteria;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.data.mongodb.core.query.Update;
import org.springframework.transaction.annotation.Transactional;

/** An application as users write it: orders in MongoDB, and a handler of their events. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class Shop {
    @Bean
    MongoTransactionManager transactionManager(MongoDatabaseFactory factory) {
        return new MongoTransactionManager(factory);
    }

    @Bean
    Orders orders(MongoTemplate mongo, TransactionalOutbox outbox) {
        return new Orders(mongo, outbox);
    }

    @Bean
    Stock stock(MongoTemplate mongo, TransactionalOutbox outbox, MongoClient client) {
        return new Stock(mongo, outbox, client);
    }

    /** Writes an order and its event. */
    static class Orders {
        private final MongoTemplate mongo;
        private final TransactionalOutbox outbox;

        Orders(MongoTemplate mongo, TransactionalOutbox outbox) {
            this.mongo = mongo;
            this.outbox = outbox;
        }

        @Transactional
        public void place(String id) {
            placeAlone(id);
        }

        @Transactional
        public void placeAndFail(String id) {
            placeAlone(id);
            throw new IllegalStateException("no");
        }

        @Transactional(readOnly = true)
        public void placeReadOnly(String id) {
            placeAlone(id);
        }

        public void placeAlone(String id) {
            outbox.append(Event.of("order.placed", "Order", id, "{\"order\":\"" + id + "\"}"));
            mongo.insert(new Document("_id", id), "orders");
        }
    }

    /** Reserves the stock of an order. */
    static class Stock {
        static final String CONTENDED = "contended";
        static final String FAILING = "failing";

        private final MongoTemplate mongo;
        private final TransactionalOutbox outbox;
        private final MongoClient client;
        private final AtomicInteger calls = new AtomicInteger();

        Stock(MongoTemplate mongo, TransactionalOutbox outbox, MongoClient client) {
            this.mongo = mongo;
            this.outbox = outbox;
            this.client = client;
        }

        /** A method, because the bean is a proxy whose fields are not set. */
        public AtomicInteger calls() {
            return calls;
        }

        @InboxHandler("order.placed")
        @Transactional // joins the transaction of the inbox
        public void reserve(Event event, ClientSession session, Document payload) {
            int call = calls.incrementAndGet();
            if (!session.hasActiveTransaction() || !payload.getString("order").equals(event.key())) {
                throw new IllegalStateException("no transaction, or another payload: " + payload);
            }
            Query counter = Query.query(Criteria.where("_id").is("reservations"));
            mongo.findOne(counter, Document.class, "counters"); // the snapshot of the transaction
            if (event.key().equals(CONTENDED) && call == 1) {
                client.getDatabase(mongo.getDb().getName())
                        .getCollection("counters")
                        .updateOne(eq("_id", "reservations"), inc("others", 1), new UpdateOptions().upsert(true));
            }
            mongo.upsert(counter, new Update().inc("count", 1), "counters");
            mongo.insert(new Document("_id", event.key()), "reservations");
            outbox.append(Event.of("stock.reserved", "Stock", event.key(), "{}"));
            if (event.key().equals(FAILING) && call == 1) {
                throw new IllegalStateException("not now");
            }
        }
    }
}

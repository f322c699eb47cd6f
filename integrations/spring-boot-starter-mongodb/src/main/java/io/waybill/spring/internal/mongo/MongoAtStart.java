package io.waybill.spring.internal.mongo;

import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import io.waybill.mongodb.OutboxSchema;
import io.waybill.mongodb.inbox.InboxSchema;
import io.waybill.spring.WaybillProperties.Schema;
import io.waybill.spring.internal.start.StartFailure;
import io.waybill.store.StoreException;
import java.util.List;
import org.bson.Document;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.data.mongodb.MongoTransactionManager;

/** Checks the application's transactions, the server and the collections before they are used, and creates missing collections. */
final class MongoAtStart {
    private static final String CHOICES = """
            Do one of these:
            - Set waybill.schema=apply: the application creates the collections and indexes when it starts.
            - Run ./waybill %s --database <your connection string> from a clone of Waybill.
            - Give this script to mongosh:

            %s""";

    private final MongoClient client;
    private final String database;
    private final Schema schema;

    MongoAtStart(MongoClient client, String database, Schema schema) {
        this.client = client;
        this.database = database;
        this.schema = schema;
    }

    String database() {
        return database;
    }

    /** @throws StartFailure if no transaction manager begins transactions of this factory */
    static void requireTransactions(MongoDatabaseFactory factory, ObjectProvider<MongoTransactionManager> managers) {
        if (managers.stream().noneMatch(manager -> factory.equals(manager.getDatabaseFactory()))) {
            throw new StartFailure(
                    "The outbox is in MongoDB, and the application has no MongoTransactionManager of its MongoDatabaseFactory."
                            + " Without transactions, an event could be published although the change was not saved.",
                    "Define one: @Bean MongoTransactionManager transactionManager(MongoDatabaseFactory factory) { return new"
                            + " MongoTransactionManager(factory); }");
        }
    }

    void outbox() {
        if (schema == Schema.NONE) {
            return;
        }
        requireReplicaSet();
        if (schema == Schema.APPLY) {
            create(() -> OutboxSchema.apply(client, database));
        }
        requireNone(OutboxSchema.problems(client, database), "schema apply", OutboxSchema.script());
    }

    void inbox() {
        if (schema == Schema.APPLY) {
            create(() -> InboxSchema.apply(client, database));
        }
        if (schema != Schema.NONE) {
            requireNone(InboxSchema.problems(client, database), "inbox schema apply", InboxSchema.script());
        }
    }

    private void requireReplicaSet() {
        Document hello;
        try {
            hello = client.getDatabase("admin").runCommand(new Document("hello", 1));
        } catch (MongoException e) {
            throw new StartFailure(
                    "Waybill cannot reach the MongoDB of its outbox: " + e.getMessage(),
                    "Check that it runs, and check spring.mongodb.uri (spring.data.mongodb.uri with Spring Boot 3.5).");
        }
        if (hello.getString("setName") == null && !"isdbgrid".equals(hello.getString("msg"))) {
            throw new StartFailure(
                    "The outbox needs transactions, and this MongoDB is a standalone server, which has none.",
                    "Run it as a replica set; one member is enough (mongod --replSet and rs.initiate()). Or set"
                            + " waybill.enabled=false if this application needs no events.");
        }
    }

    private static void create(Runnable apply) {
        try {
            apply.run();
        } catch (StoreException e) {
            throw new StartFailure(
                    "Waybill cannot create its collections. " + e.getMessage(),
                    "Grant the user readWrite on the database, or set waybill.schema=check and create them yourself.");
        }
    }

    private static void requireNone(List<String> problems, String command, String script) {
        if (!problems.isEmpty()) {
            throw new StartFailure(String.join(System.lineSeparator(), problems), CHOICES.formatted(command, script));
        }
    }
}

package io.waybill.server.database.mongodb;

import com.mongodb.MongoException;
import com.mongodb.ReadPreference;
import com.mongodb.client.MongoClient;
import io.waybill.store.StoreException;
import java.time.Instant;
import java.util.List;
import org.bson.Document;
import org.jspecify.annotations.Nullable;

/** The role of a server, from its reply to {@code hello}. */
record Topology(@Nullable String replicaSet, boolean sharded, Instant time) {
    static Topology of(MongoClient client) {
        try {
            Document hello = client.getDatabase("admin").runCommand(new Document("hello", 1), ReadPreference.primary());
            return new Topology(
                    hello.getString("setName"),
                    "isdbgrid".equals(hello.getString("msg")),
                    hello.getDate("localTime").toInstant());
        } catch (MongoException e) {
            throw new StoreException("Cannot read the role of the server: " + e.getMessage(), e);
        }
    }

    boolean hasTransactions() {
        return replicaSet != null || sharded;
    }

    List<String> problems() {
        return hasTransactions()
                ? List.of()
                : List.of(
                        "The server is standalone, and Waybill needs transactions. Run it as a replica set; one member is"
                                + " enough (mongod --replSet and rs.initiate()).");
    }
}

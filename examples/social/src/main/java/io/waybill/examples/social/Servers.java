package io.waybill.examples.social;

import io.waybill.embedded.LocalDocumentDb;
import io.waybill.embedded.LocalKafka;
import io.waybill.embedded.mongo.MongoGateway;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;

/** Kafka, and DocumentDB behind its gateway unless {@code MONGODB_URI} names a MongoDB. */
final class Servers implements AutoCloseable {
    private final Deque<Runnable> running = new ArrayDeque<>();
    private final String mongoUri;
    private final String brokers;

    Servers(Path folder) {
        try {
            String given = System.getenv("MONGODB_URI");
            this.mongoUri = given == null || given.isBlank() ? documentDb(folder) : given;
            LocalKafka kafka = LocalKafka.start(folder.resolve("kafka"));
            running.push(kafka::close);
            this.brokers = kafka.bootstrapServers();
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private String documentDb(Path folder) {
        LocalDocumentDb server = LocalDocumentDb.start(folder.resolve("documentdb"));
        running.push(server::close);
        MongoGateway gateway = MongoGateway.start(server.jdbcUrl());
        running.push(gateway::close);
        return gateway.uri();
    }

    String mongoUri() {
        return mongoUri;
    }

    String brokers() {
        return brokers;
    }

    @Override
    public void close() {
        while (!running.isEmpty()) {
            running.pop().run();
        }
    }
}

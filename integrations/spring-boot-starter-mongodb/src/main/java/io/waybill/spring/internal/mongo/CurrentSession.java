package io.waybill.spring.internal.mongo;

import com.mongodb.ClientSessionOptions;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoDatabase;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.core.InfrastructureProxy;
import org.springframework.dao.support.PersistenceExceptionTranslator;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.data.mongodb.MongoDatabaseUtils;
import org.springframework.data.mongodb.SessionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The session of the active Spring transaction.
 *
 * <p>Spring binds it to the thread in a class that is not public. It passes the session to the factory that asks for the database of
 * the transaction, so a factory that stands for the bound one receives it.
 */
final class CurrentSession {
    private final MongoDatabaseFactory factory;

    CurrentSession(MongoDatabaseFactory factory) {
        this.factory = factory;
    }

    /** Returns the session; empty if no transaction of this factory is active. */
    Optional<ClientSession> find() {
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            return Optional.empty();
        }
        Receiver receiver = new Receiver(factory);
        MongoDatabaseUtils.getDatabase(receiver, SessionSynchronization.ON_ACTUAL_TRANSACTION);
        return Optional.ofNullable(receiver.session).filter(ClientSession::hasActiveTransaction);
    }

    boolean isActive() {
        return find().isPresent();
    }

    /** Spring compares the resources of a transaction by the objects that {@link InfrastructureProxy} objects stand for. */
    private static final class Receiver implements MongoDatabaseFactory, InfrastructureProxy {
        private final MongoDatabaseFactory bound;
        private @Nullable ClientSession session;

        Receiver(MongoDatabaseFactory bound) {
            this.bound = bound;
        }

        @Override
        public Object getWrappedObject() {
            return bound;
        }

        @Override
        public MongoDatabaseFactory withSession(ClientSession session) {
            this.session = session;
            return bound.withSession(session);
        }

        @Override
        public MongoDatabase getMongoDatabase() {
            return bound.getMongoDatabase();
        }

        @Override
        public MongoDatabase getMongoDatabase(String name) {
            return bound.getMongoDatabase(name);
        }

        @Override
        public PersistenceExceptionTranslator getExceptionTranslator() {
            return bound.getExceptionTranslator();
        }

        @Override
        public ClientSession getSession(ClientSessionOptions options) {
            return bound.getSession(options);
        }
    }
}

package io.waybill.spring.internal.mongo;

import com.mongodb.MongoException;
import com.mongodb.ReadConcern;
import com.mongodb.ReadPreference;
import com.mongodb.TransactionOptions;
import com.mongodb.WriteConcern;
import java.time.Duration;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.data.mongodb.MongoTransactionManager;

/**
 * The transactions of the inbox: their commits are durable on a majority of the replica set, whatever the settings of the application
 * are, and a commit whose result is unknown is repeated, as the drivers of MongoDB prescribe.
 */
final class DurableTransactions extends MongoTransactionManager {
    static final Duration RETRY_LIMIT = Duration.ofSeconds(10);
    private static final TransactionOptions OPTIONS = TransactionOptions.builder()
            .readConcern(ReadConcern.SNAPSHOT)
            .readPreference(ReadPreference.primary())
            .writeConcern(WriteConcern.MAJORITY.withJournal(true))
            .build();

    DurableTransactions(MongoDatabaseFactory factory) {
        super(factory, OPTIONS);
    }

    @Override
    protected void doCommit(MongoTransactionObject transaction) {
        long end = System.nanoTime() + RETRY_LIMIT.toNanos();
        while (true) {
            try {
                transaction.commitTransaction();
                return;
            } catch (MongoException e) {
                if (!e.hasErrorLabel(MongoException.UNKNOWN_TRANSACTION_COMMIT_RESULT_LABEL)
                        || System.nanoTime() > end) {
                    throw e;
                }
            }
        }
    }
}

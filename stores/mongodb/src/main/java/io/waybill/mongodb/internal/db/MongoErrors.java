package io.waybill.mongodb.internal.db;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.MongoSecurityException;
import com.mongodb.MongoSocketException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.MongoWriteException;
import io.waybill.store.StoreException;
import java.util.Set;
import org.bson.BSONException;
import org.bson.BsonMaximumSizeExceededException;
import org.bson.BsonSerializationException;
import org.jspecify.annotations.Nullable;

/** What an error of the driver means. */
public final class MongoErrors {
    private static final int DUPLICATE_KEY = 11_000;
    private static final int WRITE_CONFLICT = 112;
    private static final int NO_TRANSACTIONS = 20;
    private static final int UNAUTHORIZED = 13;
    private static final int NAMESPACE_NOT_FOUND = 26;

    /** The document, or the value of an indexed field, is too large. */
    private static final Set<Integer> TOO_LARGE = Set.of(10_334, 17_280, 17_419, 17_420);

    /** The member shuts down, is not the primary, or steps down. */
    private static final Set<Integer> NOT_SERVING = Set.of(91, 189, 10_058, 10_107, 11_600, 11_602, 13_435, 13_436);

    private MongoErrors() {}

    /** Whether the whole transaction may be run again. */
    public static boolean isTransient(@Nullable Throwable error) {
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            if (cause instanceof ConflictException
                    || (cause instanceof MongoException mongo
                            && mongo.hasErrorLabel(MongoException.TRANSIENT_TRANSACTION_ERROR_LABEL))) {
                return true;
            }
        }
        return false;
    }

    public static boolean isConflict(MongoException e) {
        return e.getCode() == WRITE_CONFLICT;
    }

    public static boolean isDuplicateKey(MongoException e) {
        if (e instanceof MongoBulkWriteException bulk) {
            return bulk.getWriteErrors().stream().anyMatch(error -> error.getCode() == DUPLICATE_KEY);
        }
        return e.getCode() == DUPLICATE_KEY
                || (e instanceof MongoWriteException write && write.getError().getCode() == DUPLICATE_KEY);
    }

    /** Whether the error, which a handler may have rethrown, means that the database cannot be reached. */
    public static boolean isOutage(@Nullable Throwable error) {
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            if (cause instanceof MongoSocketException
                    || cause instanceof MongoTimeoutException
                    || cause instanceof MongoSecurityException) {
                return true;
            }
            if (cause instanceof MongoException mongo && NOT_SERVING.contains(mongo.getCode())) {
                return true;
            }
        }
        return false;
    }

    /** Whether the database can never store the given data. */
    public static boolean refusesData(@Nullable Throwable error) {
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            if (cause instanceof BsonMaximumSizeExceededException || cause instanceof BsonSerializationException) {
                return true;
            }
            if (cause instanceof MongoException mongo && TOO_LARGE.contains(mongo.getCode())) {
                return true;
            }
        }
        return false;
    }

    /** Returns an exception that names the operation and, for a known error, its remedy. Other exceptions stay as they are. */
    public static RuntimeException explain(String what, RuntimeException e) {
        if (e instanceof MongoException mongo) {
            return new StoreException("Cannot " + what + ": " + text(mongo) + remedy(mongo), mongo);
        }
        return e instanceof ConflictException || e instanceof BSONException
                ? new StoreException("Cannot " + what + ": " + e.getMessage(), e)
                : e;
    }

    private static String text(MongoException e) {
        return e instanceof MongoCommandException command ? command.getErrorMessage() : String.valueOf(e.getMessage());
    }

    private static String remedy(MongoException e) {
        return switch (e.getCode()) {
            case NO_TRANSACTIONS ->
                " Waybill needs transactions: use a replica set; one member is enough (mongod --replSet and rs.initiate()).";
            case UNAUTHORIZED -> " Grant the role readWrite on this database to the user.";
            case NAMESPACE_NOT_FOUND -> " Create the collections and indexes with OutboxSchema.apply.";
            default -> "";
        };
    }
}

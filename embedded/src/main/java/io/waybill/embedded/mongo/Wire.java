package io.waybill.embedded.mongo;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.bson.BsonArray;
import org.bson.BsonDocument;

/** Reads requests and writes replies in MongoDB's wire protocol. */
final class Wire {
    private static final int OP_REPLY = 1;
    private static final int OP_MSG = 2013;
    private static final int CHECKSUM_PRESENT = 1;
    private static final int MORE_TO_COME = 2;
    private static final int HEADER_BYTES = 16;
    private static final int LARGEST_MESSAGE = 48_000_000;

    private Wire() {}

    /**
     * A command of a driver.
     *
     * @param legacy whether the request has the old form, which a driver uses for the first command of a connection
     */
    record Request(int id, boolean legacy, boolean answered, String database, BsonDocument command) {
        byte[] reply(BsonDocument document) {
            byte[] prefix = legacy
                    ? Bson.littleEndian(new byte[20])
                            .putInt(8)
                            .putLong(0)
                            .putInt(0)
                            .putInt(1)
                            .array()
                    : new byte[5];
            byte[] body = Bson.encode(document);
            int length = HEADER_BYTES + prefix.length + body.length;
            return Bson.littleEndian(new byte[length])
                    .putInt(length)
                    .putInt(0)
                    .putInt(id)
                    .putInt(legacy ? OP_REPLY : OP_MSG)
                    .put(prefix)
                    .put(body)
                    .array();
        }
    }

    /** Returns the next request, or empty when the client has closed the connection. */
    static Optional<Request> read(InputStream in) throws IOException {
        ByteBuffer header = Bson.littleEndian(in.readNBytes(HEADER_BYTES));
        if (header.limit() < HEADER_BYTES) {
            return Optional.empty();
        }
        int length = header.getInt(0);
        if (length < HEADER_BYTES || length > LARGEST_MESSAGE) {
            throw new IOException("A message has an impossible length: " + length);
        }
        ByteBuffer body = Bson.littleEndian(in.readNBytes(length - HEADER_BYTES));
        int id = header.getInt(4);
        return Optional.of(header.getInt(12) == OP_MSG ? message(id, body) : query(id, body));
    }

    private static Request message(int id, ByteBuffer body) {
        int flags = body.getInt();
        BsonDocument command = new BsonDocument();
        BsonDocument sequences = new BsonDocument();
        int end = body.limit() - ((flags & CHECKSUM_PRESENT) == 0 ? 0 : 4);
        while (body.position() < end) {
            if (body.get() == 0) {
                command = Bson.readDocument(body);
            } else { // a named sequence of documents
                int stop = body.position() + body.getInt();
                BsonArray documents = new BsonArray();
                sequences.put(Bson.readText(body), documents);
                while (body.position() < stop) {
                    documents.add(Bson.readDocument(body));
                }
            }
        }
        command.putAll(sequences);
        String database = command.getString("$db").getValue();
        return new Request(id, false, (flags & MORE_TO_COME) == 0, database, command);
    }

    private static Request query(int id, ByteBuffer body) {
        body.getInt();
        String namespace = Bson.readText(body);
        body.getLong(); // skip and limit
        return new Request(id, true, true, namespace.replaceFirst("\\..*", ""), Bson.readDocument(body));
    }
}

package io.waybill.embedded.mongo;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.bson.BsonBinaryWriter;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.bson.codecs.EncoderContext;
import org.bson.io.BasicOutputBuffer;

/** Documents as bytes. */
final class Bson {
    private static final BsonDocumentCodec CODEC = new BsonDocumentCodec();

    private Bson() {}

    static BsonDocument decode(byte[] bytes) {
        return new RawBsonDocument(bytes).decode(CODEC);
    }

    static byte[] encode(BsonDocument document) {
        BasicOutputBuffer buffer = new BasicOutputBuffer();
        CODEC.encode(
                new BsonBinaryWriter(buffer), document, EncoderContext.builder().build());
        return buffer.toByteArray();
    }

    static ByteBuffer littleEndian(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    static BsonDocument readDocument(ByteBuffer body) {
        byte[] bytes = new byte[body.getInt(body.position())];
        body.get(bytes);
        return decode(bytes);
    }

    static String readText(ByteBuffer body) {
        int length = 0;
        while (body.get(body.position() + length) != 0) {
            length++;
        }
        byte[] text = new byte[length];
        body.get(text).get();
        return new String(text, StandardCharsets.UTF_8);
    }

    static BsonDocument ok() {
        return new BsonDocument("ok", new BsonDouble(1));
    }
}

package io.waybill.mongodb.internal.outbox;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
import java.util.zip.CRC32;

/** The lane of a key: a share of the keys, owned by one relay at a time. */
public final class Lanes {
    public static final int COUNT = 8;

    public static final List<Integer> ALL = IntStream.range(0, COUNT).boxed().toList();

    private Lanes() {}

    /** Returns the lane by a checksum that is the same in every language and version. */
    public static int of(String key) {
        CRC32 checksum = new CRC32();
        checksum.update(key.getBytes(StandardCharsets.UTF_8));
        return (int) (checksum.getValue() % COUNT);
    }
}

package io.waybill.server.cli.append;

import io.waybill.Event;
import io.waybill.WaybillException;
import io.waybill.server.config.Sizes;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Reads events from JSON lines, one at a time. Errors name the line number. */
final class EventLines {
    private static final int LONGEST_LINE = 100_000_000;

    private final InputStream in;
    private final int maxPayload;
    private long number;

    EventLines(InputStream in, int maxPayload) {
        this.in = new BufferedInputStream(in, 1 << 16);
        this.maxPayload = maxPayload;
    }

    /** The number of the line that {@link #next} returned last. */
    long number() {
        return number;
    }

    Optional<Event> next() {
        try {
            while (true) {
                byte[] line = line();
                if (line == null) {
                    return Optional.empty();
                }
                number++;
                String text = decode(line);
                if (!text.isBlank()) {
                    return Optional.of(new EventLine(text, maxPayload).parse());
                }
            }
        } catch (IOException e) {
            throw new Problem(Exit.FAILED, "Cannot read standard input after line " + number + ": " + e + ".", e);
        } catch (WaybillException e) {
            throw new Problem(Exit.USAGE, "Line " + number + ": " + e.getMessage(), e);
        }
    }

    private byte @org.jspecify.annotations.Nullable [] line() throws IOException {
        int first = in.read();
        if (first < 0) {
            return null;
        }
        ByteArrayOutputStream line = new ByteArrayOutputStream(512);
        for (int b = first; b >= 0 && b != '\n'; b = in.read()) {
            line.write(b);
            if (line.size() > LONGEST_LINE) {
                number++;
                throw new WaybillException("longer than " + Sizes.print(LONGEST_LINE) + ". Write one event per line.");
            }
        }
        return line.toByteArray();
    }

    private static String decode(byte[] line) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(line))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new WaybillException("not valid UTF-8. Convert the input to UTF-8.", e);
        }
    }
}

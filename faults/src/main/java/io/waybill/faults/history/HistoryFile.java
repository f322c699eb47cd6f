package io.waybill.faults.history;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.waybill.faults.history.History.Result;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;

/**
 * A history as lines of tab-separated fields: the time, the step, the id of the event and, for an attempt, the whole event.
 * Each line is written to the operating system in one call before the writer continues, so SIGKILL loses no line.
 */
final class HistoryFile {
    private final FileChannel channel;

    private HistoryFile(FileChannel channel) {
        this.channel = channel;
    }

    static HistoryFile open(Path file) throws IOException {
        return new HistoryFile(FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND));
    }

    void invoke(Written event) {
        StringBuilder line = new StringBuilder()
                .append("invoke\t")
                .append(event.id())
                .append('\t')
                .append(event.type())
                .append('\t')
                .append(event.key())
                .append('\t')
                .append(event.n())
                .append('\t')
                .append(BigPayload.summary(event.payload()));
        event.headers()
                .forEach((name, value) ->
                        line.append('\t').append(name).append('\t').append(value));
        write(line.toString());
    }

    void tell(UUID id, Result result) {
        write(result.name().toLowerCase(Locale.ROOT) + "\t" + id);
    }

    private synchronized void write(String line) {
        try {
            ByteBuffer bytes = ByteBuffer.wrap((Instant.now() + "\t" + line + "\n").getBytes(UTF_8));
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot write the history; free some disk space", e);
        }
    }

    static void read(Path file, History history) throws IOException {
        String text = Files.readString(file);
        String whole = text.substring(0, text.lastIndexOf('\n') + 1); // an incomplete last line is dropped
        for (String line : whole.lines().toList()) {
            String[] fields = line.split("\t", -1);
            if (fields.length >= 7 && fields[1].equals("invoke")) {
                history.invoke(written(fields));
            } else if (fields.length == 3) {
                history.tell(UUID.fromString(fields[2]), Result.valueOf(fields[1].toUpperCase(Locale.ROOT)));
            }
        }
    }

    private static Written written(String[] fields) {
        Map<String, String> headers = new HashMap<>();
        for (int i = 7; i + 1 < fields.length; i += 2) {
            headers.put(fields[i], fields[i + 1]);
        }
        return new Written(
                UUID.fromString(fields[2]), fields[3], fields[4], Long.parseLong(fields[5]), fields[6], headers);
    }
}

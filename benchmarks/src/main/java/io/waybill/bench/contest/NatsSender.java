package io.waybill.bench.contest;

import io.nats.client.Connection;
import io.nats.client.JetStream;
import io.nats.client.Message;
import io.nats.client.api.PublishAck;
import io.nats.client.impl.Headers;
import io.nats.client.impl.NatsMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The client of NATS, used as in Waybill's transport: acknowledged by the stream, with an id for deduplication. */
final class NatsSender implements Sender {
    private static final int LIMIT_SECONDS = 60;

    private final Connection connection;
    private final JetStream stream;
    private final String subject;
    private final List<CompletableFuture<PublishAck>> open = new ArrayList<>();

    NatsSender(Connection connection, String subject) throws Exception {
        this.connection = connection;
        this.stream = connection.jetStream();
        this.subject = subject;
    }

    @Override
    public void send(String key, byte[] body, Map<String, String> headers) {
        Headers all = new Headers()
                .put("Nats-Msg-Id", UUID.randomUUID().toString())
                .put(io.waybill.Headers.AGGREGATE_ID, key);
        headers.forEach(all::put);
        Message message =
                NatsMessage.builder().subject(subject).headers(all).data(body).build();
        open.add(stream.publishAsync(message));
    }

    @Override
    public void flush() throws Exception {
        CompletableFuture.allOf(open.toArray(new CompletableFuture<?>[0])).get(LIMIT_SECONDS, TimeUnit.SECONDS);
        open.clear();
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

package io.waybill.acceptance;

class NatsConsumerTest extends ConsumerContract {
    @Override
    Feed feed() {
        return new Feed.Nats();
    }
}

package io.waybill.rabbitmq;

/** How large a body may be: what was set, or less when the broker has said so. */
final class SizeLimit {
    private volatile long bytes;

    SizeLimit(long bytes) {
        this.bytes = bytes;
    }

    long bytes() {
        return bytes;
    }

    synchronized void learn(long limit) {
        bytes = Math.min(bytes, limit);
    }
}

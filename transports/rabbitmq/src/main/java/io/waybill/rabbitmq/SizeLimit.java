package io.waybill.rabbitmq;

/** The largest body to send: the configured limit, or the broker's own limit once it is known to be lower. */
final class SizeLimit {
    private volatile long bytes;

    SizeLimit(long bytes) {
        this.bytes = bytes;
    }

    long bytes() {
        return bytes;
    }

    synchronized void lowerTo(long limit) {
        bytes = Math.min(bytes, limit);
    }
}

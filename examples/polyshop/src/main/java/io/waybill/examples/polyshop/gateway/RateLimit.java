package io.waybill.examples.polyshop.gateway;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A bucket of requests for each client. {@code perSecond} requests are added each second; it holds at most twice as many. */
final class RateLimit {
    private static final int MOST_CLIENTS = 10_000;

    private final double perSecond;
    private final Map<String, Bucket> buckets = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Bucket> eldest) {
            return size() > MOST_CLIENTS;
        }
    };

    private static final class Bucket {
        private double left;
        private long since;
    }

    RateLimit(int perSecond) {
        this.perSecond = perSecond;
    }

    /** Takes one request from the client's bucket; false if it is empty. */
    synchronized boolean take(String client, long nanos) {
        Bucket bucket = buckets.computeIfAbsent(client, name -> {
            Bucket full = new Bucket();
            full.left = 2 * perSecond;
            full.since = nanos;
            return full;
        });
        double filled = (nanos - bucket.since) * perSecond / TimeUnit.SECONDS.toNanos(1);
        bucket.left = Math.min(2 * perSecond, bucket.left + filled);
        bucket.since = nanos;
        if (bucket.left < 1) {
            return false;
        }
        bucket.left--;
        return true;
    }
}

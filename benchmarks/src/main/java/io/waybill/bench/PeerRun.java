package io.waybill.bench;

import io.waybill.bench.contest.Topic;
import io.waybill.bench.measure.Cpu;
import io.waybill.bench.measure.CpuTime;
import io.waybill.bench.measure.DeliveryCheck;
import io.waybill.bench.measure.Figure;
import io.waybill.bench.measure.Figures;
import io.waybill.bench.peer.PeerProcess;
import java.io.DataInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A peer in one round, with its own JVM, database and topic: a warm-up, a drain, then latency at a steady rate. */
record PeerRun(
        BenchContext context, String name, Path classpath, Path log, int events, int rate, int seconds, int round) {
    private static final Duration STUCK = Duration.ofSeconds(60);
    private static final Pattern URL = Pattern.compile("(jdbc:postgresql://[^/]+/)([^?]*)(.*)");

    void run(int payload) throws Exception {
        String database = "waybill_bench_" + name;
        execute("DROP DATABASE IF EXISTS " + database + " WITH (FORCE)");
        execute("CREATE DATABASE " + database);
        int warmUp = events / 4;
        int steady = rate * seconds;
        Figures drain = new Figures();
        Figures latency = new Figures();
        try (Topic topic = Topic.create(context.servers(), name)) {
            boolean ordered;
            context.progress().doing("peers: starting " + name);
            try (PeerProcess peer = PeerProcess.start(
                    name, classpath, log, url(database), context.servers().bootstrap(), topic.name(), payload)) {
                ordered = peer.ordered();
                drained(peer, topic, 0, warmUp, new Figures());
                drained(peer, topic, warmUp, events, drain);
                if (steady > 0) {
                    steady(peer, topic, steady, latency);
                }
            }
            DeliveryCheck verdict = topic.check(warmUp + events + steady, ordered);
            context.add(drain.run("peers", "drain", name, round, verdict));
            if (steady > 0) {
                context.add(latency.run("peers", "latency", name, round, verdict));
            }
        }
        execute("DROP DATABASE " + database + " WITH (FORCE)");
    }

    /** Measures from the first record, so that the start of the peer does not count. */
    private void drained(PeerProcess peer, Topic topic, int before, int count, Figures figures) throws Exception {
        context.progress().doing("peers: " + name + " writes " + count + " events");
        peer.write(count, 100);
        execute("CHECKPOINT");
        context.progress().doing("peers: " + name + " drains " + count + " events");
        peer.startRelay();
        long here = before;
        long first = here;
        long start = System.nanoTime();
        Cpu spent = cpu(peer);
        long moved = start;
        while (here < before + count || peer.remaining() > 0) {
            long now = topic.records();
            if (here == before && now > before) {
                start = System.nanoTime();
                spent = cpu(peer);
                first = now;
            }
            if (now != here) {
                moved = System.nanoTime();
            } else if (System.nanoTime() - moved > STUCK.toNanos()) {
                throw new IllegalStateException("stuck at " + (now - before) + " of " + count + " events");
            }
            here = now;
            TimeUnit.MILLISECONDS.sleep(10);
        }
        long measured = Math.max(1, before + count - first);
        figures.put(Figure.RATE, measured / ((System.nanoTime() - start) / 1e9))
                .perEvent(cpu(peer).minus(spent), measured);
        peer.stopRelay();
    }

    private void steady(PeerProcess peer, Topic topic, int count, Figures figures) throws Exception {
        context.progress().doing("peers: latency of " + name);
        Path times = Files.createTempFile("waybill-bench-", ".times");
        try (Arrivals arrivals = new Arrivals(topic, (int) topic.records(), count)) {
            peer.startRelay();
            TimeUnit.SECONDS.sleep(5); // until the relay of every peer is polling
            peer.steadily(count, rate, times);
            try (DataInputStream in = new DataInputStream(Files.newInputStream(times))) {
                for (int i = 0; i < count; i++) {
                    arrivals.committed(i, in.readLong());
                }
            }
            arrivals.await(figures);
            peer.stopRelay();
        } finally {
            Files.deleteIfExists(times);
        }
    }

    /** Measures the JVM of the peer instead of this one. */
    private Cpu cpu(PeerProcess peer) {
        Cpu now = context.servers().cpuTime().now();
        return new Cpu(CpuTime.own(peer.pid()), now.postgres(), now.kafka());
    }

    private String url(String database) {
        Matcher parts = URL.matcher(context.servers().jdbcUrl());
        if (!parts.matches()) {
            throw new IllegalArgumentException(
                    "Not the address of a PostgreSQL: " + context.servers().jdbcUrl());
        }
        String parameters = parts.group(3);
        return parts.group(1) + database + parameters + (parameters.isEmpty() ? "?" : "&")
                + "reWriteBatchedInserts=true";
    }

    private void execute(String sql) throws Exception {
        try (Connection connection =
                        DriverManager.getConnection(context.servers().jdbcUrl());
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}

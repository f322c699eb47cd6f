package io.waybill.chaos.world;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Starts again what has ended by itself, and counts it: in a world that is broken on purpose, programs give up. */
final class Keeper implements AutoCloseable {
    private static final long LOOK_EVERY_MILLIS = 500;

    private final List<Member> members;
    private final Map<String, Integer> restarts = new TreeMap<>();
    private final Thread thread = new Thread(this::run, "keeper");

    Keeper(List<Member> members) {
        this.members = members;
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        try {
            while (!Thread.interrupted()) {
                Thread.sleep(LOOK_EVERY_MILLIS);
                members.stream().filter(Member::missing).forEach(this::restart);
            }
        } catch (InterruptedException closed) {
            // the world ends
        }
    }

    private synchronized void restart(Member member) {
        restarts.merge(member.name(), 1, Integer::sum);
        member.start();
    }

    synchronized Map<String, Integer> restarts() {
        return Map.copyOf(restarts);
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}

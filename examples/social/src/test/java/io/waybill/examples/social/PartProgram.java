package io.waybill.examples.social;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/** One part of the system in a process of its own, which a test kills: {@code producer}, {@code relay} or {@code projectors}. */
final class PartProgram {
    private static final int AT_ONCE = 4;

    private PartProgram() {}

    public static void main(String[] arguments) throws Exception {
        endWithParent();
        SocialCommerce system = new SocialCommerce(arguments[1], arguments[2], arguments[3]);
        System.out.println("started");
        switch (arguments[0]) {
            case "producer" -> produce(new Stories(system.source()));
            case "relay" -> system.startRelay();
            default -> system.startProjectors();
        }
        Thread.currentThread().join();
    }

    private static void endWithParent() {
        Thread watch = new Thread(() -> {
            try {
                while (System.in.read() >= 0) {
                    // the parent sends nothing
                }
            } catch (IOException e) {
                // the parent has ended
            }
            Runtime.getRuntime().halt(1);
        });
        watch.setDaemon(true);
        watch.start();
    }

    /** Interleaves stories until the process is killed, about fifty changes per second. */
    private static void produce(Stories stories) throws InterruptedException {
        stories.found();
        List<Queue<Runnable>> running = new ArrayList<>();
        for (int step = 0; ; step++) {
            while (running.size() < AT_ONCE) {
                running.add(stories.next());
            }
            Queue<Runnable> story = running.get(step % AT_ONCE);
            story.remove().run();
            running.removeIf(Queue::isEmpty);
            Thread.sleep(20);
        }
    }
}

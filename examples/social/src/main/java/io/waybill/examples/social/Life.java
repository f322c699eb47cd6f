package io.waybill.examples.social;

import io.waybill.examples.social.source.Source;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps the shop busy: several stories at a time, each step in a transaction of its own. */
final class Life implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Life.class);
    private static final int AT_ONCE = 6;
    private static final long STOP_SECONDS = 10;

    private final Stories stories;
    private final List<Queue<Runnable>> running = new ArrayList<>();
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();

    Life(Source source) {
        this.stories = new Stories(source);
    }

    /** @param rate changes per second */
    void start(int rate) {
        stories.found();
        Future<?> unused = thread.scheduleWithFixedDelay(
                this::tick, 0, Duration.ofSeconds(1).dividedBy(rate).toMillis(), TimeUnit.MILLISECONDS);
    }

    private void tick() {
        while (running.size() < AT_ONCE) {
            running.add(stories.next());
        }
        int chosen = ThreadLocalRandom.current().nextInt(running.size());
        Queue<Runnable> story = running.get(chosen);
        try {
            story.remove().run();
        } catch (RuntimeException e) {
            LOG.warn("A change failed; its story ends here", e);
            story.clear();
        }
        if (story.isEmpty()) {
            running.remove(chosen);
        }
    }

    @Override
    public void close() {
        thread.shutdown();
        try {
            if (!thread.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS)) {
                thread.shutdownNow();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

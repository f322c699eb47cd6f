package io.waybill.testkit.simulation;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** The threads on which the relays of one run after another play; at any moment one of them runs, or the test's own. */
final class Stage {
    private final Deque<Player> idle = new ArrayDeque<>();

    /** Gives the actor a thread, on which it waits for its first turn. */
    Baton enter(Actor actor) {
        Player player = idle.poll();
        if (player == null) {
            player = new Player();
        }
        player.actor = actor;
        return player.baton;
    }

    private final class Player implements Runnable {
        private final Baton baton;
        private @Nullable Actor actor;

        Player() {
            Thread thread = new Thread(this, "simulated");
            thread.setDaemon(true);
            baton = new Baton(thread);
            thread.start();
        }

        @Override
        public void run() {
            while (true) {
                baton.take();
                Actor playing = actor;
                if (playing != null) {
                    playing.play();
                    idle.push(this); // before the turn is passed on: it may come back to this very thread
                    playing.leave().pass();
                }
            }
        }
    }
}

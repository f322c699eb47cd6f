package io.waybill.chaos.fault;

import io.waybill.testkit.faults.TcpProxy;
import java.time.Duration;
import java.util.Random;
import java.util.function.Consumer;

/** What a network does to those who use it. */
enum LinkTrouble {
    DELAY("every piece of data is held back") {
        @Override
        Drawn draw(Random random) {
            int millis = 20 + random.nextInt(300);
            return new Drawn("by " + millis + " ms", link -> link.delay(Duration.ofMillis(millis)));
        }
    },
    THROTTLE("a few kilobytes a second get through") {
        @Override
        Drawn draw(Random random) {
            int kilobytes = 4 + random.nextInt(60);
            return new Drawn("to " + kilobytes + " kB/s", link -> link.throttle(1_000L * kilobytes));
        }
    },
    CUT("all connections are closed and new ones refused") {
        @Override
        Drawn draw(Random random) {
            return new Drawn("", TcpProxy::cut);
        }
    },
    DEAF("what the server answers is lost: requests are carried out, and nobody hears of it") {
        @Override
        Drawn draw(Random random) {
            return new Drawn("", TcpProxy::dropToClient);
        }
    },
    MUTE("what the client sends is lost") {
        @Override
        Drawn draw(Random random) {
            return new Drawn("", TcpProxy::dropToServer);
        }
    };

    private final String what;

    LinkTrouble(String what) {
        this.what = what;
    }

    /** @param parameters how much of it */
    record Drawn(String parameters, Consumer<TcpProxy> begin) {}

    String what() {
        return what;
    }

    abstract Drawn draw(Random random);
}

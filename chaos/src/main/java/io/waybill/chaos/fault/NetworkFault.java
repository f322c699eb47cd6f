package io.waybill.chaos.fault;

import io.waybill.testkit.network.TcpProxy;
import java.time.Duration;
import java.util.Locale;
import java.util.Random;
import java.util.function.Consumer;

/** Kinds of network faults. */
enum NetworkFault {
    DELAY("all data is delayed") {
        @Override
        Drawn draw(Random random) {
            int millis = 20 + random.nextInt(300);
            return new Drawn("by " + millis + " ms", link -> link.delay(Duration.ofMillis(millis)));
        }
    },
    THROTTLE("bandwidth drops to a few kilobytes per second") {
        @Override
        Drawn draw(Random random) {
            int kilobytes = 4 + random.nextInt(60);
            return new Drawn("to " + kilobytes + " kB/s", link -> link.throttle(1_000L * kilobytes));
        }
    },
    CUT("all connections are closed and new ones are refused") {
        @Override
        Drawn draw(Random random) {
            return new Drawn("", TcpProxy::cut);
        }
    },
    LOST_ANSWERS("answers of the server are lost; requests are executed") {
        @Override
        Drawn draw(Random random) {
            return new Drawn("", TcpProxy::dropToClient);
        }
    },
    LOST_REQUESTS("requests of the clients are lost") {
        @Override
        Drawn draw(Random random) {
            return new Drawn("", TcpProxy::dropToServer);
        }
    };

    private final String description;

    NetworkFault(String description) {
        this.description = description;
    }

    /** @param parameters the drawn values, for reports */
    record Drawn(String parameters, Consumer<TcpProxy> begin) {}

    /** The name as part of a fault's name on the command line. */
    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    String description() {
        return description;
    }

    abstract Drawn draw(Random random);
}

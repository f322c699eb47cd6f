package io.waybill.testkit.transport;

import io.waybill.embedded.LocalServer;
import io.waybill.testkit.network.TcpProxy;
import io.waybill.transport.Transport;
import java.time.Duration;

/** A broker behind a proxy, with the faults that are the same for all brokers. */
abstract class BreakableServer<S extends LocalServer> implements BreakableBroker {
    /** All brokers are configured to reject larger bodies. */
    public static final int SIZE_LIMIT = 300_000;

    private final Connector connector;
    private final S server;
    private final TcpProxy proxy;

    BreakableServer(Connector connector, S server, TcpProxy proxy) {
        this.connector = connector;
        this.server = server;
        this.proxy = proxy;
    }

    /** Returns the server. Its own port leads to the broker without the proxy. */
    public final S server() {
        return server;
    }

    final TcpProxy proxy() {
        return proxy;
    }

    @Override
    public final Transport connect(Duration sendTimeout) {
        return connector.connect(address(), sendTimeout);
    }

    @Override
    public final int sizeLimit() {
        return SIZE_LIMIT;
    }

    @Override
    public void kill() {
        server.kill();
    }

    @Override
    public final void cutOff() {
        proxy.cut();
    }

    @Override
    public final void suspend() {
        server.suspend();
    }

    @Override
    public final void dropAnswers() {
        proxy.dropToClient();
    }

    @Override
    public final void slowDown(Duration delay) {
        proxy.delay(delay);
    }

    @Override
    public final void heal() {
        proxy.heal();
        if (server.running()) {
            server.resume();
        } else {
            server.restart();
        }
    }

    @Override
    public void close() {
        server.close();
        proxy.close();
    }
}

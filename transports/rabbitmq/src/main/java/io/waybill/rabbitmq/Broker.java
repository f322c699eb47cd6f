package io.waybill.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AuthenticationFailureException;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.PossibleAuthenticationFailureException;
import com.rabbitmq.client.ShutdownSignalException;
import com.rabbitmq.client.SocketConfigurator;
import com.rabbitmq.client.SocketConfigurators;
import io.waybill.WaybillException;
import io.waybill.transport.support.Daemons;
import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** The way to RabbitMQ, the exchange there, and what is wrong with either in words. */
final class Broker {
    private static final ThreadFactory THREADS = Daemons.named("waybill-rabbitmq");

    private final RabbitAddress address;
    private final String exchange;
    private final Duration patience;

    /** @param patience how long a connection, or an answer to a question, may take */
    Broker(RabbitAddress address, String exchange, Duration patience) {
        this.address = address;
        this.exchange = exchange;
        this.patience = patience;
    }

    RabbitAddress address() {
        return address;
    }

    String exchange() {
        return exchange;
    }

    /**
     * A new connection, which never comes back by itself: the client's own recovery knows nothing of what was promised
     * about messages that were on their way.
     *
     * @param socket told the socket of the connection, for whoever must end it while the client hangs
     */
    Connection connect(String purpose, Consumer<Socket> socket) {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUsername(address.user());
        factory.setPassword(address.password());
        factory.setVirtualHost(address.vhost());
        factory.setAutomaticRecoveryEnabled(false);
        factory.setTopologyRecoveryEnabled(false);
        factory.setThreadFactory(THREADS);
        int millis = (int) patience.toMillis();
        factory.setConnectionTimeout(Math.max(200, millis / address.nodes().size()));
        factory.setHandshakeTimeout(millis);
        factory.setChannelRpcTimeout(millis);
        factory.setShutdownTimeout(millis);
        factory.setRequestedHeartbeat(10);
        SocketConfigurator tell = socket::accept;
        factory.setSocketConfigurator(SocketConfigurators.defaultConfigurator().andThen(tell));
        try {
            if (address.encrypted()) {
                factory.useSslProtocol(SSLContext.getDefault());
                factory.enableHostnameVerification();
            }
            return factory.newConnection(address.nodes(), "waybill-" + purpose);
        } catch (IOException | TimeoutException | GeneralSecurityException | RuntimeException e) {
            throw refused(e);
        }
    }

    /** Creates the exchange unless there is one; whatever its kind, an existing one is right. */
    void ensureExchange(Connection connection) {
        if (exchange.isEmpty() || exists(connection)) {
            return;
        }
        try (Channel channel = connection.createChannel()) {
            channel.exchangeDeclare(exchange, BuiltinExchangeType.TOPIC, true);
        } catch (IOException | TimeoutException | RuntimeException e) {
            throw new WaybillException(
                    this + " has no exchange " + exchange + " and does not let this user create it: " + said(e)
                            + " Create it as a durable topic exchange, or grant the user configure rights.",
                    e);
        }
    }

    private boolean exists(Connection connection) {
        try (Channel channel = connection.createChannel()) {
            channel.exchangeDeclarePassive(exchange);
            return true;
        } catch (IOException | TimeoutException | RuntimeException e) {
            if (code(e) == AMQP.NOT_FOUND) {
                return false;
            }
            throw refused(e);
        }
    }

    WaybillException refused(Exception e) {
        if (e instanceof AuthenticationFailureException || e instanceof PossibleAuthenticationFailureException) {
            return new WaybillException(
                    this + " refuses the login of user " + address.user() + ": " + said(e)
                            + " Check user, password and vhost.",
                    e);
        }
        if (code(e) != 0) {
            return new WaybillException(
                    this + " refuses: " + said(e) + " Check the rights of user " + address.user() + ".", e);
        }
        return new WaybillException(
                "Cannot reach " + this + ": " + said(e)
                        + " See whether it runs there, whether a firewall is between, and whether the vhost exists.",
                e);
    }

    /** What the broker said, or else the error itself. */
    static String said(Throwable e) {
        ShutdownSignalException signal = signal(e);
        if (signal != null && signal.getReason() instanceof AMQP.Channel.Close close) {
            return sentence(close.getReplyText());
        }
        if (signal != null && signal.getReason() instanceof AMQP.Connection.Close close) {
            return sentence(close.getReplyText());
        }
        String message = e.getMessage();
        return sentence(message == null || message.isBlank() ? e.getClass().getSimpleName() : message);
    }

    /** AMQP's reply code, 0 when there is none. */
    static int code(Throwable e) {
        ShutdownSignalException signal = signal(e);
        if (signal != null && signal.getReason() instanceof AMQP.Channel.Close close) {
            return close.getReplyCode();
        }
        return 0;
    }

    private static @Nullable ShutdownSignalException signal(Throwable e) {
        if (e instanceof ShutdownSignalException signal) {
            return signal;
        }
        return e.getCause() instanceof ShutdownSignalException cause ? cause : null;
    }

    private static String sentence(String text) {
        String line = text.replaceAll("\\s+", " ").strip();
        return line.endsWith(".") ? line : line + ".";
    }

    @Override
    public String toString() {
        return "RabbitMQ at " + address;
    }
}

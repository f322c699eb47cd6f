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
import io.waybill.internal.DaemonThreads;
import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** Opens connections to RabbitMQ, creates the exchange when it is missing, and describes connection errors. */
final class RabbitConnector {
    private static final ThreadFactory THREADS = DaemonThreads.numbered("waybill-rabbitmq");

    private final RabbitAddress address;
    private final String exchange;
    private final Duration timeout;

    /** @param timeout limit for opening a connection and for each request */
    RabbitConnector(RabbitAddress address, String exchange, Duration timeout) {
        this.address = address;
        this.exchange = exchange;
        this.timeout = timeout;
    }

    RabbitAddress address() {
        return address;
    }

    String exchange() {
        return exchange;
    }

    /**
     * Opens a connection without the client's automatic recovery: recovery would resend messages whose delivery has already been
     * reported as failed.
     *
     * @param socket receives the socket of the connection, so that it can be closed while the client hangs
     */
    Connection connect(String purpose, Consumer<Socket> socket) {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUsername(address.user());
        factory.setPassword(address.password());
        factory.setVirtualHost(address.vhost());
        factory.setAutomaticRecoveryEnabled(false);
        factory.setTopologyRecoveryEnabled(false);
        factory.setThreadFactory(THREADS);
        int millis = (int) timeout.toMillis();
        factory.setConnectionTimeout(Math.max(200, millis / address.nodes().size()));
        factory.setHandshakeTimeout(millis);
        factory.setChannelRpcTimeout(millis);
        factory.setShutdownTimeout(millis);
        factory.setRequestedHeartbeat(10);
        SocketConfigurator passSocket = socket::accept;
        factory.setSocketConfigurator(SocketConfigurators.defaultConfigurator().andThen(passSocket));
        try {
            if (address.encrypted()) {
                factory.useSslProtocol(SSLContext.getDefault());
                factory.enableHostnameVerification();
            }
            return factory.newConnection(address.nodes(), "waybill-" + purpose);
        } catch (IOException | TimeoutException | GeneralSecurityException | RuntimeException e) {
            throw failure(e);
        }
    }

    /** Creates the exchange if it is missing. An existing exchange of any type is used unchanged. */
    void ensureExchange(Connection connection) {
        if (exchange.isEmpty() || exists(connection)) {
            return;
        }
        try (Channel channel = connection.createChannel()) {
            channel.exchangeDeclare(exchange, BuiltinExchangeType.TOPIC, true);
        } catch (IOException | TimeoutException | RuntimeException e) {
            throw new WaybillException(
                    this + " has no exchange " + exchange + " and does not allow this user to create it: " + describe(e)
                            + " Create it as a durable topic exchange, or grant the user the configure permission.",
                    e);
        }
    }

    private boolean exists(Connection connection) {
        try (Channel channel = connection.createChannel()) {
            channel.exchangeDeclarePassive(exchange);
            return true;
        } catch (IOException | TimeoutException | RuntimeException e) {
            if (replyCode(e) == AMQP.NOT_FOUND) {
                return false;
            }
            throw failure(e);
        }
    }

    WaybillException failure(Exception e) {
        if (e instanceof AuthenticationFailureException || e instanceof PossibleAuthenticationFailureException) {
            return new WaybillException(
                    this + " rejects the login of user " + address.user() + ": " + describe(e)
                            + " Check user, password and vhost.",
                    e);
        }
        if (replyCode(e) != 0) {
            return new WaybillException(
                    this + " rejects the request: " + describe(e) + " Check the permissions of user " + address.user()
                            + ".",
                    e);
        }
        return new WaybillException(
                "Cannot reach " + this + ": " + describe(e)
                        + " Check that the broker is running, that no firewall blocks the connection, and that the vhost exists.",
                e);
    }

    /** Returns the broker's reply text as a sentence; the exception's message if there is no reply. */
    static String describe(Throwable e) {
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

    /** Returns AMQP's reply code; 0 when the error has none. */
    static int replyCode(Throwable e) {
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

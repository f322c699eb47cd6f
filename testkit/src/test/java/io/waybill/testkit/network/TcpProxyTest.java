package io.waybill.testkit.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(240)
final class TcpProxyTest {

    private final AtomicInteger received = new AtomicInteger();
    private ServerSocket echo;
    private TcpProxy proxy;

    @BeforeEach
    void startEchoBehindProxy() throws IOException {
        echo = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        ProxiedConnection.daemon("echo", this::serve);
        proxy = TcpProxy.to(echo.getLocalPort());
    }

    @AfterEach
    void stop() throws IOException {
        proxy.close();
        echo.close();
    }

    @Test
    void dataPassesBothWays() throws IOException {
        try (Socket socket = connect()) {
            assertThat(roundTrip(socket, 7)).isEqualTo(7);
        }
        await().atMost(Duration.ofMinutes(4))
                .untilAsserted(() -> assertThat(proxy.connections()).isZero());
    }

    @Test
    void whatIsSentBeforeTheAnswerIsOneRequest() throws IOException {
        try (Socket socket = connect()) {
            roundTrip(socket, 1);
            roundTrip(socket, 2);
            assertThat(proxy.requests()).isEqualTo(2);
        }
        try (Socket socket = connect()) {
            roundTrip(socket, 3);
            assertThat(proxy.requests()).isEqualTo(3);
        }
    }

    @Test
    void aCutClosesConnectionsAndRefusesNewOnesUntilHealed() throws IOException {
        try (Socket socket = connect()) {
            assertThat(roundTrip(socket, 1)).isEqualTo(1);

            proxy.cut();

            assertThat(ends(socket)).isTrue();
            assertThatThrownBy(this::connect).isInstanceOf(ConnectException.class);
        }
        proxy.heal();
        try (Socket socket = connect()) {
            assertThat(roundTrip(socket, 2)).isEqualTo(2);
        }
    }

    @Test
    void aMovedProxyLeadsEverybodyToTheNewTarget() throws IOException {
        try (ServerSocket other = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                Socket before = connect()) {
            assertThat(roundTrip(before, 1)).isEqualTo(1);

            proxy.moveTo(other.getLocalPort());

            assertThat(ends(before)).isTrue();
            try (Socket after = connect();
                    Socket reached = other.accept()) {
                after.getOutputStream().write(9);
                assertThat(reached.getInputStream().read()).isEqualTo(9);
            }
        }
    }

    @Test
    void noConnectionSlipsThroughBetweenACutAndItsHealing() throws IOException {
        for (int round = 0; round < 200; round++) {
            proxy.cut();
            assertThatThrownBy(this::connect).isInstanceOf(ConnectException.class);
            proxy.heal();
            try (Socket socket = connect()) {
                assertThat(roundTrip(socket, 1)).isEqualTo(1);
            }
        }
    }

    @Test
    void droppingToTheClientLetsRequestsThroughAndSwallowsAnswers() throws IOException {
        try (Socket socket = connect()) {
            proxy.dropToClient();

            assertThatThrownBy(() -> roundTrip(socket, 1)).isInstanceOf(SocketTimeoutException.class);

            await().atMost(Duration.ofMinutes(4))
                    .untilAsserted(() -> assertThat(received).hasValue(1));
        }
    }

    @Test
    void droppingToTheServerSwallowsRequests() throws IOException {
        try (Socket socket = connect()) {
            proxy.dropToServer();

            assertThatThrownBy(() -> roundTrip(socket, 1)).isInstanceOf(SocketTimeoutException.class);

            assertThat(received).hasValue(0);
        }
    }

    /** A byte a second each way: an answer takes longer than the client waits for it. */
    @Test
    void aThrottledConnectionLetsLittleThroughUntilHealed() throws IOException {
        try (Socket socket = connect()) {
            proxy.throttle(1);
            assertThatThrownBy(() -> roundTrip(socket, 1)).isInstanceOf(SocketTimeoutException.class);
            assertThatThrownBy(() -> proxy.throttle(0)).isInstanceOf(IllegalArgumentException.class);
        }
        proxy.heal();
        try (Socket socket = connect()) {
            assertThat(roundTrip(socket, 2)).isEqualTo(2);
        }
    }

    @Test
    void aProxyThatMovesLeadsElsewhereAndEndsWhatWasOpen() throws IOException {
        try (ServerSocket elsewhere = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                Socket before = connect()) {
            assertThat(roundTrip(before, 1)).isEqualTo(1);

            proxy.moveTo(elsewhere.getLocalPort());

            assertThat(ends(before)).isTrue();
            try (Socket after = connect();
                    Socket accepted = elsewhere.accept()) {
                accepted.getOutputStream().write(9);
                assertThat(after.getInputStream().read()).isEqualTo(9);
            }
        }
    }

    @Test
    void healingClosesOnlyConnectionsThatLostData() throws IOException {
        try (Socket losing = connect();
                Socket idle = connect()) {
            assertThat(roundTrip(idle, 1)).isEqualTo(1);
            proxy.dropToClient();
            assertThatThrownBy(() -> roundTrip(losing, 2)).isInstanceOf(SocketTimeoutException.class);

            proxy.heal();

            assertThat(ends(losing)).isTrue();
            assertThat(roundTrip(idle, 3)).isEqualTo(3);
        }
    }

    @Test
    void theEndOfTheServerIsSwallowedToo() throws IOException {
        try (Socket socket = connect()) {
            proxy.dropToClient();

            assertThatThrownBy(() -> roundTrip(socket, 0)).isInstanceOf(SocketTimeoutException.class);

            await().atMost(Duration.ofMinutes(4))
                    .untilAsserted(() -> assertThat(received).hasValue(1));
            assertThatThrownBy(() -> socket.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);
        }
    }

    @Test
    void aDelayHoldsDataBackBothWays() throws IOException {
        try (Socket socket = connect()) {
            proxy.delay(Duration.ofMillis(150));
            long start = System.nanoTime();

            assertThat(roundTrip(socket, 5)).isEqualTo(5);

            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(300));
        }
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
        socket.setSoTimeout(500);
        return socket;
    }

    private static int roundTrip(Socket socket, int value) throws IOException {
        socket.getOutputStream().write(value);
        return socket.getInputStream().read();
    }

    private static boolean ends(Socket socket) {
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketTimeoutException stillOpen) {
            return false;
        } catch (IOException reset) {
            return true;
        }
    }

    private void serve() {
        while (!echo.isClosed()) {
            try {
                Socket socket = echo.accept();
                ProxiedConnection.daemon("echo-connection", () -> answer(socket));
            } catch (IOException closed) {
                // the loop ends
            }
        }
    }

    /** Sends every byte back; a zero makes the server hang up. */
    private void answer(Socket socket) {
        try (socket) {
            for (int value = socket.getInputStream().read();
                    value >= 0;
                    value = socket.getInputStream().read()) {
                received.incrementAndGet();
                if (value == 0) {
                    return;
                }
                socket.getOutputStream().write(value);
            }
        } catch (IOException closed) {
            // the connection ended
        }
    }
}

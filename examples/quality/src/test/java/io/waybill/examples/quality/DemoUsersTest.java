package io.waybill.examples.quality;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.testkit.servers.SharedServers;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The demo users, whose passwords are public, can be reached from this machine only. */
class DemoUsersTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "--server.address=0.0.0.0",
                "--server.address=::",
                "--server.address=",
                "--management.server.port=0",
                "--management.server.address=0.0.0.0 --management.server.port=0"
            })
    void theServiceRefusesToListenBeyondLoopbackWithDemoUsers(String settings) {
        assertThatThrownBy(() -> Service.start(SharedServers.freshDatabase(), settings.split(" ", -1))
                        .close())
                .rootCause()
                .hasMessageContaining("server.address")
                .hasMessageContaining("demo users");
    }
}

package io.waybill.faults.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class CrashTest {
    @Test
    void theActionAndTheHitAreOptional() {
        assertThat(Crash.parse("AFTER_ACK")).hasToString("halt:AFTER_ACK:1");
        assertThat(Crash.parse("after_ack:3")).hasToString("halt:AFTER_ACK:3");
        assertThat(Crash.parse("freeze:BEFORE_SEND:2")).hasToString("freeze:BEFORE_SEND:2");
    }

    @Test
    void anUnknownCrashPointIsRejected() {
        assertThatThrownBy(() -> Crash.parse("AT_NOON")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Crash.parse("AFTER_ACK:0")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void noCrashIsRequestedByDefault() {
        assertThat(Crash.requested()).isEmpty();
    }

    @Test
    void theProcessEndsAtTheRequestedHitWithoutShutdownHooks() throws Exception {
        Process process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "-D" + Crash.PROPERTY + "=IN_HEARTBEAT:3",
                        Beats.class.getName()))
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isEqualTo(Crash.STATUS);
        assertThat(output).isEqualTo("12");
    }

    /** Passes a crash point five times. */
    static final class Beats {
        private Beats() {}

        public static void main(String[] arguments) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.print("hook")));
            Crash crash = Crash.requested().orElseThrow();
            for (int beat = 1; beat <= 5; beat++) {
                crash.reached(CrashPoint.BEFORE_CLAIM);
                crash.reached(CrashPoint.IN_HEARTBEAT);
                System.out.print(beat);
                System.out.flush();
            }
        }
    }
}

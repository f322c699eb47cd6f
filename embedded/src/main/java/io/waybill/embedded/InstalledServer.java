package io.waybill.embedded;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A server that knows nothing of this JVM and runs under a shell. The shell reads its standard input to the end and then
 * ends the server's process group. The shell has a session of its own: a signal to the process group of this JVM, such as
 * a build tool sends when it gives up, must not kill the shell and leave the server behind.
 */
abstract class InstalledServer extends ChildServer {
    private static final Duration START_LIMIT = Duration.ofMinutes(2);
    private static final int ANSWER_MILLIS = 2_000;
    private static final String LEASH = """
            exec 3<&0
            setsid "$@" </dev/null 3<&- &
            server=$!
            (while read -r line <&3; do :; done; kill -TERM -$server; sleep 15; kill -KILL -$server) 2>/dev/null &
            leash=$!
            wait $server
            kill -KILL $leash -$server 2>/dev/null
            """;

    InstalledServer(String title, Path folder, String portName, int wantedPort) {
        super(title, folder, portName, wantedPort, START_LIMIT);
    }

    /** The server's command line; called before each start. */
    abstract List<String> command() throws IOException;

    /** Variables beside those of this JVM. */
    Map<String, String> environment() {
        return Map.of();
    }

    @Override
    void prepare() throws IOException {}

    @Override
    final ProcessBuilder program() throws IOException {
        // The log's path is the shell's name: it identifies the process as one of this folder.
        List<String> leashed = new ArrayList<>(List.of("setsid", "sh", "-c", LEASH, log().toString()));
        leashed.addAll(command());
        ProcessBuilder builder = new ProcessBuilder(leashed);
        builder.environment().putAll(environment());
        return builder;
    }

    /**
     * Returns the first bytes that the server sends to a client, or fewer if the server closes the connection.
     *
     * @param request sent first; empty where the server speaks first
     */
    final byte[] answer(byte[] request, int length) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(FreePort.localAddress(port()), ANSWER_MILLIS);
            socket.setSoTimeout(ANSWER_MILLIS);
            socket.getOutputStream().write(request);
            InputStream in = socket.getInputStream();
            return in.readNBytes(length);
        }
    }

    @Override
    final boolean serves(Duration limit) {
        try {
            return serves();
        } catch (IOException notYet) {
            return false;
        }
    }

    /** Whether the server answers clients; an exception means that it does not yet. */
    abstract boolean serves() throws IOException;
}

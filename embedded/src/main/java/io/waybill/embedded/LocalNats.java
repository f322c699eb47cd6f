package io.waybill.embedded;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A real NATS server with JetStream on 127.0.0.1, from the machine's package {@code nats-server}. */
public final class LocalNats extends InstalledServer {
    public static final Path PROGRAM = Path.of("/usr/sbin/nats-server");

    private final Path program;
    private final String settings;

    private LocalNats(Builder builder) {
        super("NATS", builder.folder, "client", builder.port);
        this.program = builder.program;
        this.settings = builder.settings;
    }

    /** Starts a server with default settings on the folder, which is created if absent. */
    public static LocalNats start(Path folder) {
        return builder(folder).start();
    }

    public static Builder builder(Path folder) {
        return new Builder(requireNonNull(folder, "folder"));
    }

    @Override
    List<String> command() throws IOException {
        Path file = folder().resolve("nats.conf");
        Files.writeString(
                file,
                "listen: \"127.0.0.1:" + port() + "\"\njetstream { store_dir: \"" + folder().resolve("data") + "\" }\n"
                        + settings);
        return List.of(program.toString(), "-c", file.toString());
    }

    @Override
    boolean serves() throws IOException {
        return new String(answer(new byte[0], 4), StandardCharsets.US_ASCII).equals("INFO");
    }

    /** The settings of a server; all are optional. */
    public static final class Builder {
        private final Path folder;
        private Path program = PROGRAM;
        private String settings = "";
        private int port;

        private Builder(Path folder) {
            this.folder = folder;
        }

        /** Listens on this port instead of the one that the folder remembers or, the first time, a free one. */
        public Builder port(int port) {
            this.port = port;
            return this;
        }

        /** Runs {@link DebianServer#NATS} instead of the machine's own. */
        public Builder newest() {
            this.program = DebianServer.NATS.home().resolve("usr/sbin/nats-server");
            return this;
        }

        /** Adds a line to the server's configuration, such as {@code max_payload: 64000}. */
        public Builder setting(String line) {
            settings += requireNonNull(line, "line") + "\n";
            return this;
        }

        /**
         * Starts the server and returns when it serves.
         *
         * @throws LocalServerException when the folder is in use or the server does not serve in time
         */
        public LocalNats start() {
            LocalNats server = new LocalNats(this);
            server.begin();
            return server;
        }
    }
}

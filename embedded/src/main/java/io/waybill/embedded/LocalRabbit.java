package io.waybill.embedded;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A real RabbitMQ node on 127.0.0.1, from the machine's package {@code rabbitmq-server}, with its own ports, name,
 * cookie and data. User and password are {@code guest}.
 */
public final class LocalRabbit extends InstalledServer {
    /** Debian's start script changes to another user; this is the script that it runs. */
    public static final Path PROGRAM = Path.of("/usr/lib/rabbitmq/bin/rabbitmq-server");

    private static final Duration CONTROL_LIMIT = Duration.ofMinutes(2);
    private static final Path INSTALLED = Path.of("/");
    private static final byte[] PROTOCOL = {'A', 'M', 'Q', 'P', 0, 0, 9, 1};

    private final Path home;
    private final Map<String, String> settings;
    private final int epmdPort = FreePort.find();
    private final int nodePort = FreePort.find();
    private final int managementPort;

    private LocalRabbit(Builder builder) {
        super("RabbitMQ", builder.folder, "client", builder.port);
        this.home = builder.home;
        this.settings = Map.copyOf(builder.settings);
        this.managementPort = builder.management ? FreePort.find() : 0;
    }

    /** Starts a node with default settings on the folder, which is created if absent. */
    public static LocalRabbit start(Path folder) {
        return builder(folder).start();
    }

    public static Builder builder(Path folder) {
        return new Builder(requireNonNull(folder, "folder"));
    }

    @Override
    List<String> command() throws IOException {
        if (!home.equals(INSTALLED)) {
            writeErlangScript();
        }
        Map<String, String> all = new LinkedHashMap<>(settings);
        all.put("listeners.tcp.1", "127.0.0.1:" + port());
        if (managementPort != 0) {
            all.put("management.tcp.ip", "127.0.0.1");
            all.put("management.tcp.port", Integer.toString(managementPort));
        }
        Files.writeString(folder().resolve("plugins"), managementPort == 0 ? "[]." : "[rabbitmq_management].");
        Files.writeString(
                folder().resolve("rabbitmq.conf"),
                all.entrySet().stream()
                        .map(entry -> entry.getKey() + " = " + entry.getValue() + "\n")
                        .collect(Collectors.joining()));
        // Erlang's name server. Otherwise the node would start it as a daemon that survives the node.
        String both = "epmd -address 127.0.0.1 -port " + epmdPort + " & exec " + script("rabbitmq-server");
        return List.of("sh", "-c", both);
    }

    private Path script(String name) {
        return home.resolve("usr/lib/rabbitmq/bin").resolve(name);
    }

    /** Erlang's own start script knows only the folder that it is installed in. */
    private void writeErlangScript() throws IOException {
        Path erlang = home.resolve("usr/lib/erlang");
        Path programs;
        try (DirectoryStream<Path> versions = Files.newDirectoryStream(erlang, "erts-*")) {
            programs = versions.iterator().next().resolve("bin");
        }
        Path bin = Files.createDirectories(folder().resolve("bin"));
        Files.writeString(
                bin.resolve("erl"),
                "#!/bin/sh\nexport ROOTDIR='" + erlang + "' BINDIR='" + programs + "' EMU=beam PROGNAME=erl\n"
                        + "exec \"$BINDIR/erlexec\" \"$@\"\n");
        Files.writeString(bin.resolve("epmd"), "#!/bin/sh\nexec '" + programs + "/epmd' \"$@\"\n");
        Files.writeString(
                bin.resolve("escript"),
                "#!/bin/sh\nexport ESCRIPT_EMULATOR='" + bin.resolve("erl") + "'\nexec '" + programs
                        + "/escript' \"$@\"\n");
        for (String script : List.of("erl", "epmd", "escript")) {
            if (!bin.resolve(script).toFile().setExecutable(true)) {
                throw new IOException("Cannot make " + bin.resolve(script) + " executable");
            }
        }
    }

    @Override
    Map<String, String> environment() {
        String folder = folder().toString();
        return Map.ofEntries(
                Map.entry("HOME", folder),
                Map.entry("PATH", folder + "/bin:" + System.getenv("PATH")),
                Map.entry("ERL_EPMD_PORT", Integer.toString(epmdPort)),
                Map.entry("ERL_EPMD_ADDRESS", "127.0.0.1"),
                Map.entry("RABBITMQ_NODENAME", "waybill-" + port() + "@localhost"),
                Map.entry("RABBITMQ_DIST_PORT", Integer.toString(nodePort)),
                Map.entry("RABBITMQ_NODE_PORT", Integer.toString(port())),
                Map.entry("RABBITMQ_CONF_ENV_FILE", folder + "/none.conf"),
                Map.entry("RABBITMQ_CONFIG_FILE", folder + "/rabbitmq.conf"),
                Map.entry("RABBITMQ_ENABLED_PLUGINS_FILE", folder + "/plugins"),
                Map.entry("RABBITMQ_PID_FILE", folder + "/server.pid"),
                Map.entry("RABBITMQ_MNESIA_BASE", folder + "/data"),
                Map.entry("RABBITMQ_LOG_BASE", folder + "/log"),
                Map.entry("RABBITMQ_LOGS", "-"),
                Map.entry("RABBITMQ_SERVER_START_ARGS", "-kernel inet_dist_use_interface {127,0,0,1}"));
    }

    /** The address of the management plugin; only with {@link Builder#management()}. */
    public String managementUrl() {
        return "http://127.0.0.1:" + managementPort;
    }

    /** Runs {@code rabbitmqctl} on this node, which takes seconds. */
    public void control(String... arguments) {
        List<String> command = new ArrayList<>(List.of(script("rabbitmqctl").toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().putAll(environment());
        try {
            Command.run("run " + command, builder, CONTROL_LIMIT, log());
        } catch (IOException e) {
            throw new LocalServerException("Cannot run " + command + ": " + e, e);
        }
    }

    /** The port opens before the last steps of the start. A node that is ready answers the protocol header. */
    @Override
    boolean serves() throws IOException {
        byte[] frame = answer(PROTOCOL, 1);
        return frame.length == 1 && frame[0] == 1; // a method frame: connection.start
    }

    /** The settings of a node; all are optional. */
    public static final class Builder {
        private final Path folder;
        private final Map<String, String> settings = new LinkedHashMap<>();
        private Path home = INSTALLED;
        private int port;
        private boolean management;

        private Builder(Path folder) {
            this.folder = folder;
        }

        /** Listens on this port instead of the one that the folder remembers or, the first time, a free one. */
        public Builder port(int port) {
            this.port = port;
            return this;
        }

        /** Runs {@link DebianServer#RABBITMQ} instead of the machine's own. */
        public Builder newest() {
            this.home = DebianServer.RABBITMQ.home();
            return this;
        }

        /** Enables the management plugin. */
        public Builder management() {
            this.management = true;
            return this;
        }

        /** Adds a line to {@code rabbitmq.conf}. */
        public Builder setting(String name, String value) {
            settings.put(requireNonNull(name, "name"), requireNonNull(value, "value"));
            return this;
        }

        /**
         * Starts the node and returns when it serves.
         *
         * @throws LocalServerException when the folder is in use or the node does not serve in time
         */
        public LocalRabbit start() {
            LocalRabbit server = new LocalRabbit(this);
            server.begin();
            return server;
        }
    }
}

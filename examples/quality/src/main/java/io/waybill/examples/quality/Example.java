package io.waybill.examples.quality;

import io.waybill.embedded.LocalPostgres;
import io.waybill.embedded.LocalServerException;
import io.waybill.examples.quality.worker.WorkerMode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.context.ConfigurableApplicationContext;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./waybill example quality}: the service with its own PostgreSQL, whose data is kept between runs. */
@Command(
        name = "./waybill example quality",
        mixinStandardHelpOptions = true,
        header = "A quality and supply chain service: every change is audited, once.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  ./waybill example quality",
            "  ./waybill example quality --port 9000",
            "  ./waybill example quality -- --quality.worker=off",
        })
public final class Example implements Callable<Integer> {
    private static final int FAILED = 1;

    @Option(names = "--port", defaultValue = "8090", description = "Where the service listens (default: 8090).")
    private int port;

    @Option(
            names = "--data",
            description = "Folder of the database and the token secret (default: .waybill/example-quality).")
    private @Nullable Path data;

    @Parameters(
            paramLabel = "SETTING",
            description = "After --: settings of the service, such as --quality.worker=off.")
    private List<String> settings = new ArrayList<>();

    private Example() {}

    public static void main(String[] arguments) {
        LoggingSystem.get(Example.class.getClassLoader())
                .beforeInitialize(); // no log lines until Spring configures logging
        int code = new CommandLine(new Example())
                .setExecutionExceptionHandler((e, command, parsed) -> {
                    System.err.println(
                            "Quality did not start: " + reason(e)); // Spring has logged more, if it got that far
                    return FAILED;
                })
                .execute(arguments);
        if (code != 0) {
            System.exit(code);
        }
    }

    @Override
    public Integer call() {
        Path folder = data == null
                ? Path.of(System.getProperty("waybill.home", ".")).resolve(".waybill/example-quality")
                : data;
        for (String setting : settings) {
            if (!setting.startsWith("--")) {
                System.err.println("Settings begin with two dashes: --" + setting);
                return CommandLine.ExitCode.USAGE;
            }
        }
        try {
            requireFree(port);
            // PostgreSQL stops after the application, whether that ends by Ctrl-C, by a failed start or by itself.
            LocalPostgres postgres = LocalPostgres.start(folder.resolve("postgres"));
            SpringApplication.getShutdownHandlers().add(() -> {
                postgres.close();
                System.out.println("Stopped.");
            });
            run(folder, postgres.jdbcUrl());
            return 0;
        } catch (LocalServerException | IOException e) {
            System.err.println(e.getMessage());
            return FAILED;
        }
    }

    private void run(Path folder, String database) {
        // As system properties, because settings on the command line take precedence over them.
        System.setProperty("server.port", Integer.toString(port));
        System.setProperty("quality.data", folder.toString());
        System.setProperty("spring.datasource.url", database);
        System.setProperty("logging.level.root", "warn");
        ConfigurableApplicationContext application =
                SpringApplication.run(QualityApplication.class, settings.toArray(String[]::new));
        QualityProperties properties = application.getBean(QualityProperties.class);
        if (properties.worker() != WorkerMode.ONCE) {
            int listens = application.getEnvironment().getProperty("local.server.port", Integer.class, port);
            System.out.println(Welcome.text(listens, folder, properties));
        }
    }

    /** Returns the innermost message: the outer ones are about beans. */
    private static String reason(Throwable thrown) {
        Throwable cause = thrown;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return String.valueOf(cause.getMessage());
    }

    /** Runs before the database starts, which takes seconds. */
    private static void requireFree(int port) throws IOException {
        try {
            new ServerSocket(port, 1, InetAddress.getLoopbackAddress()).close();
        } catch (IOException | IllegalArgumentException e) {
            throw new IOException(
                    "Cannot listen on port " + port + ": " + e.getMessage() + ". Choose another with --port.", e);
        }
    }
}

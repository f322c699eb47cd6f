package io.waybill.server.cli;

import io.waybill.server.cli.command.CliContext;
import java.io.ByteArrayInputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** Runs commands as the program does, in this JVM, in a folder of the test. */
final class Waybill {
    private final Path folder;
    private final Map<String, String> environment = new HashMap<>();
    private byte[] input = new byte[0];

    Waybill(Path folder) {
        this.folder = folder;
    }

    Waybill with(String name, String value) {
        environment.put(name, value);
        return this;
    }

    Waybill input(String text) {
        input = text.getBytes(StandardCharsets.UTF_8);
        return this;
    }

    Result run(String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CliContext context = new CliContext(
                environment,
                folder,
                folder,
                new ByteArrayInputStream(input),
                new PrintWriter(out),
                new PrintWriter(err),
                false);
        int exit = new Program(context).run(args);
        return new Result(exit, out.toString(), err.toString());
    }

    record Result(int exit, String out, String err) {}
}

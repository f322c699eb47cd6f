package io.waybill.embedded;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A program that owns a server and dies without closing it; tests run it in a JVM of its own. */
final class OwnerProgram {

    private OwnerProgram() {}

    /** Arguments: postgres, kafka or mysql, the folder, and how the program goes on: close, halt, suspend (then halt) or stay. */
    public static void main(String[] arguments) throws InterruptedException {
        Path folder = Path.of(arguments[1]);
        LocalServer server = switch (arguments[0]) {
            case "kafka" -> LocalKafka.start(folder);
            case "mysql" -> {
                DebianServer.MYSQL.obstacle().ifPresent(System.out::println);
                yield LocalMySql.start(folder);
            }
            default -> LocalPostgres.start(folder);
        };
        System.out.println("pid " + server.pid());
        switch (arguments[2]) {
            case "close" -> server.close();
            case "suspend" -> {
                server.suspend();
                Runtime.getRuntime().halt(1);
            }
            case "stay" -> Thread.sleep(Long.MAX_VALUE);
            default -> Runtime.getRuntime().halt(1);
        }
    }

    static Process run(Map<String, String> environment, String... arguments) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                        "setsid", // its process group is its own, so that a test can kill the group
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        OwnerProgram.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.command().addAll(List.of(arguments));
        builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
        builder.environment().putAll(environment);
        return builder.start();
    }

    /** The id of the server's process, as soon as the server is up. */
    static long serverPid(Process owner) throws IOException {
        BufferedReader output = owner.inputReader(StandardCharsets.UTF_8);
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.startsWith("pid ")) {
                return Long.parseLong(line.substring(4));
            }
        }
        throw new IllegalStateException("The owner program ended before its server was up");
    }
}

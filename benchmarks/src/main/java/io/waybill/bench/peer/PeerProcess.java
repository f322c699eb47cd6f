package io.waybill.bench.peer;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Starts and controls a {@link PeerProgram}. */
public final class PeerProcess implements AutoCloseable {
    private final String name;
    private final Process process;
    private final BufferedReader answers;
    private final BufferedWriter commands;
    private final boolean ordered;

    private PeerProcess(String name, Process process) throws IOException {
        this.name = name;
        this.process = process;
        this.answers = process.inputReader(StandardCharsets.UTF_8);
        this.commands = process.outputWriter(StandardCharsets.UTF_8);
        this.ordered = answer().equals("ordered=true");
    }

    /** @param classpath a file with the class path of the peer */
    public static PeerProcess start(
            String name, Path classpath, Path log, String jdbcUrl, String bootstrap, String topic, int payload)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx1g", "-cp", Files.readString(classpath).strip()));
        command.addAll(List.of(PeerProgram.class.getName(), jdbcUrl, bootstrap, topic, Integer.toString(payload)));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        try {
            return new PeerProcess(name, process);
        } catch (IOException | RuntimeException e) {
            process.destroyForcibly();
            throw e;
        }
    }

    public boolean ordered() {
        return ordered;
    }

    public long pid() {
        return process.pid();
    }

    /** Makes the peer append a backlog. */
    public void write(int events, int perTransaction) throws IOException {
        ask("write " + events + " " + perTransaction);
    }

    /** Makes the peer append at a steady rate and write the commit times to a file. */
    public void steadily(int events, int perSecond, Path file) throws IOException {
        ask("steadily " + events + " " + perSecond + " " + file);
    }

    public void startRelay() throws IOException {
        ask("start");
    }

    public void stopRelay() throws IOException {
        ask("stop");
    }

    public long remaining() throws IOException {
        return Long.parseLong(ask("remaining"));
    }

    private String ask(String command) throws IOException {
        commands.write(command);
        commands.newLine();
        commands.flush();
        return answer();
    }

    private String answer() throws IOException {
        for (String line = answers.readLine(); line != null; line = answers.readLine()) {
            if (line.startsWith(PeerProgram.PREFIX)) {
                String answer = line.substring(PeerProgram.PREFIX.length());
                if (answer.startsWith("failed ")) {
                    throw new IOException(name + " " + answer);
                }
                return answer;
            }
        }
        throw new IOException(name + " ended without an answer");
    }

    @Override
    public void close() throws IOException {
        try {
            commands.close();
            if (!process.waitFor(30, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}

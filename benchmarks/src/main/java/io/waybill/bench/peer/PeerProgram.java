package io.waybill.bench.peer;

import io.waybill.bench.load.KeyDistribution;
import io.waybill.bench.load.Load;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ServiceLoader;

/**
 * The program in the JVM of a peer. It reads a command per line and answers each with a line that has a prefix. Other output of libraries
 * has no prefix. It ends at the end of its input, so that it does not outlive its parent.
 */
public final class PeerProgram {
    static final String PREFIX = "peer> ";

    private PeerProgram() {}

    public static void main(String[] arguments) throws Exception {
        int code = 0;
        Peer peer = ServiceLoader.load(Peer.class).findFirst().orElseThrow();
        try {
            peer.open(arguments[0], arguments[1], arguments[2]);
            PeerWriter writer =
                    new PeerWriter(peer, new Load(KeyDistribution.EVEN, 10_000, Integer.parseInt(arguments[3])));
            say("ordered=" + peer.ordered());
            BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String line = commands.readLine(); line != null; line = commands.readLine()) {
                say(obey(peer, writer, line.split(" ")));
            }
            peer.close();
        } catch (Throwable e) {
            e.printStackTrace();
            say("failed " + e);
            code = 1;
        }
        Runtime.getRuntime().halt(code);
    }

    private static String obey(Peer peer, PeerWriter writer, String[] words) throws Exception {
        switch (words[0]) {
            case "write" -> writer.write(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
            case "steadily" ->
                writer.steadily(Integer.parseInt(words[1]), Integer.parseInt(words[2]), Path.of(words[3]));
            case "start" -> peer.start();
            case "stop" -> peer.stop();
            case "remaining" -> {
                return Long.toString(peer.remaining());
            }
            default -> throw new IllegalArgumentException("There is no command " + words[0]);
        }
        return "ok";
    }

    private static void say(String line) {
        System.out.println(PREFIX + line);
        System.out.flush();
    }
}

package io.waybill.server.http;

import io.waybill.server.problem.Problem;
import java.util.regex.Pattern;

/** Keeps the HTTP server on this machine. */
public final class Loopback {
    private static final Pattern ADDRESS = Pattern.compile("localhost|127(\\.\\d{1,3}){3}|\\[?::1]?");

    private Loopback() {}

    /** Judged by the text alone: what a name service answers today it need not answer tomorrow. */
    public static void require(String host) {
        if (!ADDRESS.matcher(host).matches()) {
            throw Problem.usage(
                    "http.host '" + host + "' is not a loopback address. Listening there needs authentication,"
                            + " which this version does not have. Use 127.0.0.1, ::1 or localhost.");
        }
    }
}

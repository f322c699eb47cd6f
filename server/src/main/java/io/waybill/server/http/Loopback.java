package io.waybill.server.http;

import io.waybill.server.problem.Problem;
import java.util.regex.Pattern;

/** Restricts the HTTP server to loopback addresses. */
public final class Loopback {
    private static final Pattern ADDRESS = Pattern.compile("localhost|127(\\.\\d{1,3}){3}|\\[?::1]?");

    private Loopback() {}

    /** Checks the text only and resolves no names: a name may resolve to another address later. */
    public static void require(String host) {
        if (!ADDRESS.matcher(host).matches()) {
            throw Problem.usage(
                    "http.host '" + host + "' is not a loopback address. Listening there needs authentication,"
                            + " which this version does not have. Use 127.0.0.1, ::1 or localhost.");
        }
    }
}

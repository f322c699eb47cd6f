package io.waybill.server.http;

import io.javalin.http.Context;
import java.util.Set;
import java.util.regex.Pattern;

/** Adds security headers to every response and rejects requests that are not local reads. */
final class RequestFilter {
    private static final String CONTENT_POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
                    + " img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private static final Set<String> READING = Set.of("GET", "HEAD");

    /** Host names of the loopback interface. With DNS rebinding, a web page elsewhere can make a browser send requests here
     * under another name. */
    private static final Pattern OWN_NAME = Pattern.compile("(localhost|127(\\.\\d{1,3}){3}|\\[::1])(:\\d{1,5})?");

    private RequestFilter() {}

    static void check(Context context) {
        context.header("Content-Security-Policy", CONTENT_POLICY);
        context.header("X-Content-Type-Options", "nosniff");
        context.header("X-Frame-Options", "DENY");
        context.header("Referrer-Policy", "no-referrer");
        context.header("Cross-Origin-Resource-Policy", "same-origin");
        context.header("Cache-Control", "no-store");
        String host = context.header("Host");
        if (host == null || !OWN_NAME.matcher(host).matches()) {
            throw new Refused(421, "This server accepts requests for localhost only.");
        }
        if (!READING.contains(context.req().getMethod())) {
            context.header("Allow", "GET, HEAD");
            throw new Refused(405, "Only GET and HEAD are supported.");
        }
    }

    static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final int status;
        private final String text;

        Refused(int status, String text) {
            super(text);
            this.status = status;
            this.text = text;
        }

        int status() {
            return status;
        }

        String text() {
            return text;
        }
    }
}

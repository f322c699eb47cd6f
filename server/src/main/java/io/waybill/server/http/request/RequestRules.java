package io.waybill.server.http.request;

import io.javalin.http.Context;
import io.waybill.server.http.request.Refusal.Kind;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The rules that apply to every request of every user, and the security headers of every response. */
public final class RequestRules {
    private static final String CONTENT_POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; font-src 'self';"
                    + " img-src 'self' data:; manifest-src 'self'; base-uri 'none'; form-action 'none';"
                    + " frame-ancestors 'none'";
    private static final Set<String> READING = Set.of("GET", "HEAD");
    private static final Set<String> SUPPORTED = Set.of("GET", "HEAD", "POST", "DELETE");
    private static final String API = "/api/";

    private final HostNames hosts;
    private final boolean encrypted;

    /** @param encrypted whether browsers reach this server through TLS */
    public RequestRules(HostNames hosts, boolean encrypted) {
        this.hosts = hosts;
        this.encrypted = encrypted;
    }

    /** Adds the security headers. */
    public void protect(Context context) {
        context.header("Content-Security-Policy", CONTENT_POLICY);
        context.header("X-Content-Type-Options", "nosniff");
        context.header("X-Frame-Options", "DENY");
        context.header("Referrer-Policy", "no-referrer");
        context.header("Cross-Origin-Opener-Policy", "same-origin");
        context.header("Cross-Origin-Resource-Policy", "same-origin");
        context.header("Cache-Control", "no-store");
        if (encrypted) {
            context.header("Strict-Transport-Security", "max-age=31536000");
        }
    }

    /** @throws Refusal if the request breaks a rule */
    public void check(Context context) {
        String host = context.header("Host");
        if (!hosts.contains(host)) {
            throw Refusal.of(
                    Kind.HOST,
                    "This server does not accept requests for this host name.",
                    "Add the name to http.host-names.");
        }
        String method = context.req().getMethod();
        if (!SUPPORTED.contains(method)) {
            throw Refusal.of(Kind.METHOD, "This server supports GET, HEAD, POST and DELETE.")
                    .header("Allow", "GET, HEAD, POST, DELETE");
        }
        boolean reads = READING.contains(method);
        if (reads && !context.path().startsWith(API)) {
            return;
        }
        requireSameOrigin(context.header("Sec-Fetch-Site"), context.header("Origin"), String.valueOf(host), reads);
        if (method.equals("POST") && !isJson(context.header("Content-Type"))) {
            throw Refusal.of(
                    Kind.MEDIA_TYPE, "The body of a POST request must have the content type application/json.");
        }
    }

    /**
     * Refuses requests of pages of other sites. Browsers send these headers, and no page can change them. Other programs send
     * neither header, and have no session of a browser that a page could abuse.
     */
    private void requireSameOrigin(@Nullable String site, @Nullable String origin, String host, boolean reads) {
        // "none" means that a person typed the address or opened a bookmark. A page cannot send it.
        boolean foreignSite = site != null && !site.equals("same-origin") && !(reads && site.equals("none"));
        boolean foreignOrigin = origin != null && !isOwn(origin, host);
        if (foreignSite || foreignOrigin) {
            throw Refusal.of(
                    Kind.NOT_ALLOWED,
                    "This request comes from a page of another site. The API accepts its own pages only.");
        }
    }

    private boolean isOwn(String origin, String host) {
        return origin.equalsIgnoreCase((encrypted ? "https://" : "http://") + host);
    }

    private static boolean isJson(@Nullable String type) {
        return type != null && type.split(";", 2)[0].strip().equalsIgnoreCase("application/json");
    }
}

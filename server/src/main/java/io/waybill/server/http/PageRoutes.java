package io.waybill.server.http;

import io.javalin.http.ContentType;
import io.waybill.server.http.request.Access;
import io.waybill.server.http.request.Call;
import io.waybill.server.http.request.Routes;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** The files of the pages. They contain no data, so everybody may read them. */
final class PageRoutes {
    void addTo(Routes routes) {
        routes.get("/", Access.ANYONE, call -> send(call, "index.html", ContentType.TEXT_HTML))
                .get("/waybill.js", Access.ANYONE, call -> send(call, "waybill.js", ContentType.TEXT_JS))
                .get("/waybill.css", Access.ANYONE, call -> send(call, "waybill.css", ContentType.TEXT_CSS))
                .get("/api", Access.ANYONE, call -> send(call, "api.html", ContentType.TEXT_HTML))
                .get("/api.js", Access.ANYONE, call -> send(call, "api.js", ContentType.TEXT_JS))
                .get("/api.css", Access.ANYONE, call -> send(call, "api.css", ContentType.TEXT_CSS))
                .get(
                        "/api/v1/openapi.json",
                        Access.ANYONE,
                        call -> send(call, "openapi.json", ContentType.APPLICATION_JSON));
    }

    private static void send(Call call, String name, ContentType type) {
        try (InputStream file = PageRoutes.class.getResourceAsStream(name)) {
            if (file == null) {
                throw new IllegalStateException(name + " is missing from the jar");
            }
            call.context().contentType(type.getMimeType() + "; charset=utf-8").result(file.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

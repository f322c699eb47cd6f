package io.waybill.server.http;

import io.javalin.http.ContentType;
import io.waybill.server.http.request.Access;
import io.waybill.server.http.request.Call;
import io.waybill.server.http.request.Routes;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;

/** The files of the pages. They contain no data, so everybody may read them. */
final class PageRoutes {
    /** The modules and the style sheet of the console, below {@code console/}. Only these names are served. */
    static final List<String> CONSOLE = List.of(
            "app.js",
            "console.css",
            "lib/api.js",
            "lib/dom.js",
            "lib/filter.js",
            "lib/format.js",
            "lib/hooks.js",
            "lib/json.js",
            "lib/live.js",
            "lib/router.js",
            "lib/settings.js",
            "pages/audit.js",
            "pages/deadletter.js",
            "pages/event.js",
            "pages/events.js",
            "pages/failures.js",
            "pages/find.js",
            "pages/inbox.js",
            "pages/key.js",
            "pages/keys.js",
            "pages/missing.js",
            "pages/operation.js",
            "pages/operations.js",
            "pages/overview.js",
            "pages/relays.js",
            "pages/saga.js",
            "pages/sagas.js",
            "pages/settings.js",
            "pages/signin.js",
            "ui/basics.js",
            "ui/bulk.js",
            "ui/charts.js",
            "ui/dialogs.js",
            "ui/eventactions.js",
            "ui/filterbar.js",
            "ui/icons.js",
            "ui/pauses.js",
            "ui/payload.js",
            "ui/sagapicture.js",
            "vendor/hooks.js",
            "vendor/htm.js",
            "vendor/preact.js");

    void addTo(Routes routes) {
        routes.get("/", Access.ANYONE, call -> send(call, "console/index.html", ContentType.TEXT_HTML));
        for (String file : CONSOLE) {
            ContentType type = file.endsWith(".css") ? ContentType.TEXT_CSS : ContentType.TEXT_JS;
            routes.get("/console/" + file, Access.ANYONE, call -> send(call, "console/" + file, type));
        }
        routes.get("/api", Access.ANYONE, call -> send(call, "api.html", ContentType.TEXT_HTML))
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

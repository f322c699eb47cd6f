package io.waybill.server.http.request;

import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.javalin.http.HandlerType;
import io.waybill.WaybillException;
import io.waybill.internal.LogText;
import io.waybill.internal.Secrets;
import io.waybill.server.http.request.Refusal.Kind;
import io.waybill.store.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jetty.io.EofException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Registers routes. This is the only way to add one, and each needs an {@link Access}: a route without one does not compile, and
 * {@code ArchitectureTest} keeps other classes from the routing methods of the HTTP library.
 */
public final class Routes {
    private static final Logger LOG = LoggerFactory.getLogger(Routes.class);
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final RoutesConfig config;
    private final Authentication authentication;
    private final Mode mode;
    private final List<Route> all = new ArrayList<>();
    private RefusalListener refusals = (request, caller, reason) -> {};
    private final AtomicLong complained = new AtomicLong(System.nanoTime() - QUIET_NANOS);

    /** Receives refused attempts of signed-in users to act or to see payloads. */
    @FunctionalInterface
    public interface RefusalListener {
        void refused(Context request, Caller caller, String reason);
    }

    /** One row of the table of routes. */
    public record Route(String method, String path, Access access) {}

    /** @param rules empty for a server that accepts every request, because it has no secrets and changes nothing */
    public Routes(RoutesConfig config, Optional<RequestRules> rules, Authentication authentication, Mode mode) {
        this.config = config;
        this.authentication = authentication;
        this.mode = mode;
        rules.ifPresent(rule -> config.before(context -> {
            rule.protect(context);
            rule.check(context);
        }));
        config.error(404, context -> {
            if (context.resultInputStream() == null || !isProblem(context)) {
                refuse(context, Refusal.of(Kind.NOT_FOUND, "There is no resource at this path."));
            }
        });
        config.exception(Refusal.class, (refusal, context) -> refuse(context, refusal));
        config.exception(StoreException.class, (failure, context) -> {
            log(context, failure);
            refuse(context, Refusal.of(Kind.UNAVAILABLE, masked(failure), "See the log of this process."));
        });
        config.exception(
                WaybillException.class,
                (failure, context) -> refuse(
                        context,
                        Refusal.of(
                                context.method().name().equals("GET") ? Kind.INVALID : Kind.CONFLICT,
                                masked(failure))));
        config.exception(EofException.class, (gone, context) -> LOG.debug("The client is gone: {}", gone.toString()));
        config.exception(Exception.class, (failure, context) -> {
            log(context, failure);
            refuse(context, Refusal.of(Kind.INTERNAL, "This request failed.", "See the log of this process."));
        });
    }

    private static boolean isProblem(Context context) {
        String type = context.res().getContentType();
        return type != null && type.startsWith("application/problem+json");
    }

    private static String masked(Throwable failure) {
        return Secrets.maskIn(LogText.oneLine(String.valueOf(failure.getMessage())));
    }

    /** Logs failures, but not each of them: a page that polls a broken database must not fill the log. */
    private void log(Context context, Throwable failure) {
        long now = System.nanoTime();
        long before = complained.get();
        if (now - before > QUIET_NANOS && complained.compareAndSet(before, now)) {
            LOG.warn("{} {} failed: {}", context.method(), LogText.oneLine(context.path()), masked(failure));
        }
        LOG.debug("Details of the failed request", failure);
    }

    private static void refuse(Context context, Refusal refusal) {
        refusal.headers().forEach(context::header);
        Call.send(context, refusal.kind().status(), "application/problem+json; charset=utf-8", refusal.json());
    }

    public Routes get(String path, Access access, Endpoint endpoint) {
        return add(HandlerType.GET, path, access, endpoint);
    }

    public Routes post(String path, Access access, Endpoint endpoint) {
        return add(HandlerType.POST, path, access, endpoint);
    }

    public Routes delete(String path, Access access, Endpoint endpoint) {
        return add(HandlerType.DELETE, path, access, endpoint);
    }

    private Routes add(HandlerType method, String path, Access access, Endpoint endpoint) {
        all.add(new Route(method.name().toUpperCase(Locale.ROOT), path, access));
        config.addHttpHandler(method, path, context -> endpoint.answer(admit(context, access)));
        return this;
    }

    private Call admit(Context context, Access access) {
        Optional<Permission> needed = access.permission();
        @Nullable Caller caller = authentication.caller(context).orElse(null);
        if (needed.isEmpty()) {
            return new Call(context, mode, caller);
        }
        if (caller == null) {
            throw Refusal.of(Kind.NOT_SIGNED_IN, "This request needs a signed-in user.");
        }
        Permission permission = needed.get();
        if (!caller.role().grants(permission)) {
            String reason = "This needs the role " + access.role() + "; " + caller.name() + " is "
                    + caller.role().label() + ".";
            throw refusal(context, caller, permission, Refusal.of(Kind.NOT_ALLOWED, reason));
        }
        if (!mode.allows(permission)) {
            throw refusal(context, caller, permission, Refusal.of(Kind.NOT_ALLOWED, mode.refusal(), mode.remedy()));
        }
        return new Call(context, mode, caller);
    }

    private Refusal refusal(Context context, Caller caller, Permission permission, Refusal refusal) {
        if (permission != Permission.VIEW) {
            refusals.refused(context, caller, String.valueOf(refusal.getMessage()));
        }
        return refusal;
    }

    /** Sets the receiver of refused attempts to act or to see payloads. */
    public void onRefusal(RefusalListener listener) {
        refusals = listener;
    }

    /** Returns the registered routes. */
    public List<Route> all() {
        return List.copyOf(all);
    }
}

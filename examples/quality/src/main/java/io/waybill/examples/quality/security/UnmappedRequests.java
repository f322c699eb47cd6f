package io.waybill.examples.quality.security;

import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.security.authentication.AuthenticationTrustResolver;
import org.springframework.security.authentication.AuthenticationTrustResolverImpl;
import org.springframework.security.authorization.AuthorizationDecision;
import org.springframework.security.authorization.AuthorizationManager;
import org.springframework.security.authorization.AuthorizationResult;
import org.springframework.security.core.Authentication;
import org.springframework.security.web.access.intercept.RequestAuthorizationContext;
import org.springframework.web.HttpRequestMethodNotSupportedException;
import org.springframework.web.servlet.mvc.method.RequestMappingInfoHandlerMapping;

/**
 * Handles requests without a rule in {@link Access}. An authenticated user receives 404 or 405 when there is no such route; a route
 * without a rule is refused.
 */
final class UnmappedRequests implements AuthorizationManager<RequestAuthorizationContext> {
    private final List<RequestMappingInfoHandlerMapping> mappings;
    private final AuthenticationTrustResolver trust = new AuthenticationTrustResolverImpl();

    UnmappedRequests(List<RequestMappingInfoHandlerMapping> mappings) {
        this.mappings = mappings;
    }

    @Override
    public AuthorizationResult authorize(
            Supplier<? extends @Nullable Authentication> authentication, RequestAuthorizationContext context) {
        return new AuthorizationDecision(trust.isAuthenticated(authentication.get())
                && mappings.stream().noneMatch(mapping -> leadsSomewhere(mapping, context)));
    }

    private static boolean leadsSomewhere(
            RequestMappingInfoHandlerMapping mapping, RequestAuthorizationContext context) {
        try {
            return mapping.getHandler(context.getRequest()) != null;
        } catch (HttpRequestMethodNotSupportedException noSuchMethod) {
            return false;
        } catch (Exception inDoubt) {
            return true;
        }
    }
}

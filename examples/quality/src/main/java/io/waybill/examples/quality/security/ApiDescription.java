package io.waybill.examples.quality.security;

import io.swagger.v3.oas.models.Components;
import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.Operation;
import io.swagger.v3.oas.models.PathItem;
import io.swagger.v3.oas.models.info.Info;
import io.swagger.v3.oas.models.media.Content;
import io.swagger.v3.oas.models.media.MediaType;
import io.swagger.v3.oas.models.media.ObjectSchema;
import io.swagger.v3.oas.models.responses.ApiResponse;
import io.swagger.v3.oas.models.security.SecurityRequirement;
import io.swagger.v3.oas.models.security.SecurityScheme;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.springdoc.core.customizers.OpenApiCustomizer;
import org.springframework.stereotype.Component;

/** Adds roles and error responses to the description of the API, from the rules of {@link Access}. */
@Component
class ApiDescription implements OpenApiCustomizer {
    private static final String BEARER = "bearer";

    @Override
    public void customise(OpenAPI api) {
        api.info(new Info().title("Quality").version("1").description("POST /auth/login gives a token."));
        if (api.getComponents() == null) {
            api.components(new Components());
        }
        api.getComponents()
                .addSecuritySchemes(
                        BEARER,
                        new SecurityScheme()
                                .type(SecurityScheme.Type.HTTP)
                                .scheme(BEARER)
                                .bearerFormat("JWT"));
        for (Access rule : Access.RULES) {
            PathItem path = api.getPaths().get(rule.path());
            Operation operation = path == null
                    ? null
                    : path.readOperationsMap()
                            .get(PathItem.HttpMethod.valueOf(rule.method().name()));
            if (operation != null) {
                describe(operation, rule);
            }
        }
    }

    private static void describe(Operation operation, Access rule) {
        String roles = rule.roles().stream().map(Role::claim).sorted().collect(Collectors.joining(", "));
        operation.description("Roles: " + (roles.isEmpty() ? "everybody" : roles) + ".");
        if (!roles.isEmpty()) {
            operation.addSecurityItem(new SecurityRequirement().addList(BEARER));
        }
        refusals(operation, rule)
                .forEach((status, meaning) -> operation
                        .getResponses()
                        .addApiResponse(
                                status, new ApiResponse().description(meaning).content(problem())));
    }

    private static Map<String, String> refusals(Operation operation, Access rule) {
        Map<String, String> refusals = new TreeMap<>();
        if (operation.getParameters() != null || operation.getRequestBody() != null) {
            refusals.put("400", "The request is not valid; the body says what is wrong.");
        }
        if (operation.getRequestBody() != null) {
            refusals.put("413", "The body is too large.");
            refusals.put("415", "The body is not JSON.");
        }
        if (!rule.roles().isEmpty()) {
            refusals.put("401", "The token is missing, invalid or expired.");
            refusals.put("403", "The role may not do this.");
        }
        if (rule.path().equals("/auth/login")) {
            refusals.put("401", "Name or password is wrong.");
            refusals.put("429", "Too many failed logins; Retry-After says when to try again.");
        }
        if (rule.path().equals("/readyz")) {
            refusals.put("503", "The database does not answer, or is of another revision.");
        }
        if (rule.path().contains("{id}")) {
            refusals.put("404", "There is no such thing.");
        }
        return refusals;
    }

    private static Content problem() {
        return new Content().addMediaType("application/problem+json", new MediaType().schema(new ObjectSchema()));
    }
}

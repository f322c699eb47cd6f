package io.waybill.server.cli.append;

import io.waybill.WaybillException;
import io.waybill.server.cli.command.Json;
import io.waybill.server.cli.command.TerminalText;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;

/** Checks that a payload is valid JSON, and returns it unchanged. */
final class PayloadText {
    private PayloadText() {}

    static String checked(String payload) {
        if (payload.isBlank()) {
            throw new WaybillException("The payload is empty. It must be JSON, such as {\"total\":10}.");
        }
        try (JsonParser parser = Json.MAPPER.createParser(payload)) {
            parser.nextToken();
            parser.skipChildren();
            if (parser.nextToken() != null) {
                throw new WaybillException("The payload contains more than one JSON value. Wrap them in an array.");
            }
            return payload;
        } catch (JacksonException e) {
            throw new WaybillException("The payload is not JSON: " + reason(e) + ". Check its quotes and braces.", e);
        }
    }

    static String reason(JacksonException e) {
        String message = e.getOriginalMessage().lines().findFirst().orElse("");
        int column = e.getLocation() == null ? 0 : e.getLocation().getColumnNr();
        return TerminalText.cut(message, 160) + (column > 0 ? " (column " + column + ")" : "");
    }
}

package io.waybill.spring;

import io.waybill.WaybillException;

/** The application cannot start. {@link StartFailureAnalyzer} passes both parts to Spring Boot's report. */
final class StartFailure extends WaybillException {
    private static final long serialVersionUID = 1L;

    private final String description;
    private final String action;

    StartFailure(String description, String action) {
        super(description + " " + action);
        this.description = description;
        this.action = action;
    }

    String description() {
        return description;
    }

    String action() {
        return action;
    }
}

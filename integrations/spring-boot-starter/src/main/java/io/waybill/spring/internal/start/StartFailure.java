package io.waybill.spring.internal.start;

import io.waybill.WaybillException;

/** The application cannot start. {@link StartFailureAnalyzer} passes both parts to Spring Boot's report. */
public final class StartFailure extends WaybillException {
    private static final long serialVersionUID = 1L;

    private final String description;
    private final String action;

    public StartFailure(String description, String action) {
        super(description + " " + action);
        this.description = description;
        this.action = action;
    }

    public String description() {
        return description;
    }

    public String action() {
        return action;
    }
}

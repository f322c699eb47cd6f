package io.waybill.examples.logistics;

/** The service cannot start with its settings. */
public final class WrongSettingException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String description;
    private final String action;

    public WrongSettingException(String description, String action) {
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

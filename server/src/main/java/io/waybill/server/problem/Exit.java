package io.waybill.server.problem;

/** The exit codes of the program. Scripts rely on them. */
public enum Exit {
    OK(0),
    FAILED(1),
    USAGE(2),
    DATABASE(3),
    BROKER(4),
    NOT_FOUND(5);

    private final int code;

    Exit(int code) {
        this.code = code;
    }

    public int code() {
        return code;
    }
}

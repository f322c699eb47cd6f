package io.waybill.server;

/** What the program's exit codes mean; scripts rely on them. */
public enum Exit {
    OK(0, "done"),
    FAILED(1, "failed, or found something unhealthy"),
    USAGE(2, "wrong usage, configuration or input"),
    DATABASE(3, "database unreachable, or its schema is wrong"),
    BROKER(4, "broker unreachable"),
    NOT_FOUND(5, "no such thing");

    private final int code;
    private final String meaning;

    Exit(int code, String meaning) {
        this.code = code;
        this.meaning = meaning;
    }

    public int code() {
        return code;
    }

    public String meaning() {
        return meaning;
    }
}

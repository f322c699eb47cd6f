package io.waybill.server.problem;

/**
 * The result of one check of {@code waybill doctor}.
 *
 * @param remedy what the operator should do; empty when there is nothing to do
 * @param exit the exit code of the program if this is its first failure
 */
public record Finding(String check, Level level, String detail, String remedy, Exit exit) {

    public enum Level {
        OK,
        WARNING,
        FAILURE
    }

    public static Finding ok(String check, String detail) {
        return new Finding(check, Level.OK, detail, "", Exit.OK);
    }

    public static Finding warning(String check, String detail, String remedy) {
        return new Finding(check, Level.WARNING, detail, remedy, Exit.OK);
    }

    public static Finding failure(String check, String detail, String remedy, Exit exit) {
        return new Finding(check, Level.FAILURE, detail, remedy, exit);
    }
}

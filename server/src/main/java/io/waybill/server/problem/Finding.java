package io.waybill.server.problem;


/**
 * What the doctor found.
 *
 * @param remedy what to do; empty when nothing is to be done
 * @param exit what the program should exit with on its account
 */
public record Finding(String check, Level level, String detail, String remedy, Exit exit) {

    /** How bad it is. */
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

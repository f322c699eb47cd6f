package io.waybill.examples.quality.security;

/** The service would offer its demo users, whose passwords are public, beyond this machine. */
final class ExposedDemoUsersException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ExposedDemoUsersException(String setting, String address) {
        super(setting + " is " + address + ": the demo users, whose passwords are public, would be reachable from"
                + " other machines.");
    }
}

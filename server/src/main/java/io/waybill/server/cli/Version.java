package io.waybill.server.cli;


/** Which Waybill this is. */
public final class Version {
    private Version() {}

    /** As the jar says; "development" when run from classes. */
    public static String text() {
        String version = Version.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }
}

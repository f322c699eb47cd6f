package io.waybill.server.cli;

/** The version of the program. */
public final class Version {
    private Version() {}

    /** Returns the version in the manifest of the jar, or "development" when the program runs from class files. */
    public static String text() {
        String version = Version.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }
}

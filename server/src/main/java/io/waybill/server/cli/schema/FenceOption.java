package io.waybill.server.cli.schema;

import picocli.CommandLine.Option;

/** What to do about relays that run while the tables are changed. */
final class FenceOption {
    @Option(
            names = "--fence-relays",
            description =
                    "Go on although relays are running: take their lanes from them. What they have in flight may be"
                            + " published twice.")
    private boolean fence;

    boolean wanted() {
        return fence;
    }
}

package io.waybill.server.cli.schema;

import picocli.CommandLine.Option;

/** Whether to change the tables while relays are running. */
final class FenceOption {
    @Option(
            names = "--fence-relays",
            description =
                    "Continue although relays are running, and revoke their lanes. Events in flight may be published"
                            + " twice.")
    private boolean fence;

    boolean wanted() {
        return fence;
    }
}

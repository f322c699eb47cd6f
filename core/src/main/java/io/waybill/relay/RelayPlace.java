package io.waybill.relay;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.ThreadLocalRandom;

/** Where a relay runs, for people. */
final class RelayPlace {
    private RelayPlace() {}

    static String current() {
        return host() + ":" + ProcessHandle.current().pid();
    }

    /** A name that a restarted process does not repeat, so that its own earlier leases count as another's. */
    static String uniqueName() {
        return host() + "-" + ProcessHandle.current().pid() + "-"
                + Integer.toHexString(ThreadLocalRandom.current().nextInt(0x1000, 0x10000));
    }

    static String version() {
        String version = Relay.class.getPackage().getImplementationVersion();
        return version == null ? "dev" : version;
    }

    private static String host() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }
}

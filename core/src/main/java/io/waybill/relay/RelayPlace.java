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

    /**
     * A name that no other run repeats. A relay that came back under its old name would renew the leases of its earlier
     * life, without knowing what that life had in flight, and so keep everyone, itself included, from taking its lanes.
     */
    static String uniqueName(String base) {
        return base + "-" + Integer.toHexString(ThreadLocalRandom.current().nextInt(0x10000, 0x100000));
    }

    static String defaultName() {
        return host() + "-" + ProcessHandle.current().pid();
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

package io.waybill.relay;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.ThreadLocalRandom;

/** The name of a relay, and the host, process and version that operators see. */
final class RelayIdentity {
    private RelayIdentity() {}

    static String hostAndPid() {
        return host() + ":" + ProcessHandle.current().pid();
    }

    /**
     * Returns a name that no other run uses. A relay that restarted under its old name would renew the leases of its previous
     * run. It does not know which events the previous run had in flight, and no other relay could acquire those lanes.
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

package io.waybill.examples.quality.security;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HexFormat;

/** The network of a client: an IPv4 address, or an IPv6 /64 prefix, in which a client can choose any address. */
final class ClientNetwork {
    private static final int PREFIX = 8;

    private ClientNetwork() {}

    /** @param address a literal, as the server reports it; no name is looked up */
    static String of(String address) {
        if (!address.contains(":")) {
            return address;
        }
        try {
            InetAddress parsed = InetAddress.getByName(address);
            return parsed instanceof Inet6Address
                    ? HexFormat.of().formatHex(parsed.getAddress(), 0, PREFIX)
                    : parsed.getHostAddress();
        } catch (UnknownHostException e) {
            return address;
        }
    }
}

package io.waybill.server.http.access;

import io.javalin.http.Context;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.regex.Pattern;

/** The address of a client. */
public final class ClientAddress {
    private static final Pattern LITERAL = Pattern.compile("[0-9a-fA-F:.]{2,45}");
    private static final int NETWORK_BYTES = 8;

    private final boolean behindProxy;

    /** @param behindProxy whether a trusted proxy adds the last entry of {@code X-Forwarded-For} */
    public ClientAddress(boolean behindProxy) {
        this.behindProxy = behindProxy;
    }

    public String of(Context context) {
        String forwarded = behindProxy ? context.header("X-Forwarded-For") : null;
        if (forwarded != null) {
            String last = forwarded.substring(forwarded.lastIndexOf(',') + 1).strip();
            if (LITERAL.matcher(last).matches()) {
                return last;
            }
        }
        return context.ip();
    }

    /** Returns the address; for IPv6 its network, because a single client can have 2^64 addresses. */
    String network(Context context) {
        String address = of(context);
        if (!address.contains(":")) {
            return address;
        }
        try {
            byte[] bytes =
                    InetAddress.getByName(address.replaceAll("[\\[\\]]", "")).getAddress();
            return HexFormat.of().formatHex(Arrays.copyOf(bytes, Math.min(bytes.length, NETWORK_BYTES)));
        } catch (UnknownHostException e) {
            return address;
        }
    }
}

package dev.belay.linux;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Arrays;

/// Addresses that lead to this machine, its networks or nowhere, in every form.
final class PrivateAddress {
    private PrivateAddress() {}

    static boolean is(InetAddress address) {
        return ofThisMachine(address) || address.isLoopbackAddress() || address.isAnyLocalAddress()
                || address.isLinkLocalAddress()
                || address.isSiteLocalAddress() || address.isMulticastAddress()
                || (address instanceof Inet4Address
                        ? reserved(address.getAddress())
                        : reservedV6(address.getAddress()));
    }

    /// Whether the machine itself has the address, private or not. If that is unknown, it may have.
    private static boolean ofThisMachine(InetAddress address) {
        try {
            return NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException _) {
            return true;
        }
    }

    private static boolean reserved(byte[] bytes) {
        int first = bytes[0] & 0xFF;
        int second = bytes[1] & 0xFF;
        // This network, shared (CGNAT), protocol assignments, benchmarks, reserved and broadcast.
        return first == 0
                || (first == 100 && second >= 64 && second < 128)
                || (first == 192 && second == 0 && bytes[2] == 0)
                || (first == 198 && (second == 18 || second == 19))
                || first >= 240;
    }

    private static boolean reservedV6(byte[] bytes) {
        // Unique local addresses.
        return (bytes[0] & 0xFE) == 0xFC || embeds(bytes);
    }

    /// Whether it stands for an IPv4 address that is private: compatible, mapped, NAT64, or 6to4.
    private static boolean embeds(byte[] bytes) {
        boolean mapped = zeros(bytes, 0, 10) && (bytes[10] & bytes[11] & 0xFF) == 0xFF;
        boolean compatible = mapped || zeros(bytes, 0, 12);
        boolean nat64 = bytes[0] == 0 && bytes[1] == 0x64 && (bytes[2] & 0xFF) == 0xFF && (bytes[3] & 0xFF) == 0x9B;
        boolean sixToFour = bytes[0] == 0x20 && bytes[1] == 0x02;
        int at = compatible || nat64 ? 12 : 2;
        try {
            return (compatible || nat64 || sixToFour)
                    && is(InetAddress.getByAddress(Arrays.copyOfRange(bytes, at, at + 4)));
        } catch (UnknownHostException e) {
            throw new AssertionError("four bytes are an address", e);
        }
    }

    private static boolean zeros(byte[] bytes, int from, int to) {
        for (int i = from; i < to; i++) {
            if (bytes[i] != 0) {
                return false;
            }
        }
        return true;
    }
}

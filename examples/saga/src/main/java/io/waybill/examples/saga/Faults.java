package io.waybill.examples.saga;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The faults that the user asked for, by order. */
final class Faults {
    /** What goes wrong with an order. */
    enum Fault {
        NONE,
        /** The stock service refuses: the item is sold out. */
        STOCK_MISSING,
        /** The stock service reserves the stock, but replies after the last time-out. */
        STOCK_SILENT,
        /** The payment is refused. */
        PAYMENT_DECLINED,
        /** The payment service never replies. */
        PAYMENT_SILENT,
        /** The own fleet refuses, a courier accepts. */
        DELIVERY_REFUSED,
        /** The payment is refused, and then the stock service does not release the stock. */
        RELEASE_FAILS
    }

    private final Map<String, Fault> byOrder = new ConcurrentHashMap<>();

    void set(String order, Fault fault) {
        byOrder.put(order, fault);
    }

    Fault of(String order) {
        return byOrder.getOrDefault(order, Fault.NONE);
    }

    boolean is(String order, Fault... faults) {
        for (Fault fault : faults) {
            if (of(order) == fault) {
                return true;
            }
        }
        return false;
    }
}

package io.waybill.examples.polyshop.launcher;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The faults that the page can inject. */
final class Faults {
    private static final String KILL = "kill/";

    private interface Action {
        void run();
    }

    private record Fault(Action begin, Action end) {}

    private final Map<String, Fault> faults = new LinkedHashMap<>();
    private final Map<String, Boolean> active = new LinkedHashMap<>();

    Faults(Shop shop) {
        if (shop.has("payment")) {
            Client payment = Client.of(shop.url("payment"));
            faults.put(
                    "payment-refuses",
                    new Fault(
                            () -> payment.post("/faults/payment-refuses", null),
                            () -> payment.send("DELETE", "/faults/payment-refuses", null, Map.of())));
        }
        faults.put("inventory-slow", new Fault(() -> shop.suspend("inventory"), () -> shop.resume("inventory")));
        if (shop.has("notification")) {
            faults.put(
                    "notification-down",
                    new Fault(() -> shop.suspend("notification"), () -> shop.resume("notification")));
        }
        faults.put(
                "broker-stopped",
                new Fault(() -> shop.kafka().stop(), () -> shop.kafka().restart()));
        List<String> killable = new ArrayList<>(shop.services());
        killable.add("relay");
        for (String service : killable) {
            faults.put(KILL + service, new Fault(() -> shop.kill(service), () -> shop.restart(service)));
        }
    }

    /** Begins or ends a fault; returns whether it exists. */
    synchronized boolean set(String name, boolean begin) {
        Fault fault = faults.get(name);
        if (fault == null) {
            return false;
        }
        if (active.getOrDefault(name, false) != begin) {
            (begin ? fault.begin() : fault.end()).run();
            active.put(name, begin);
        }
        return true;
    }

    synchronized List<Map<String, Object>> all() {
        List<Map<String, Object>> all = new ArrayList<>();
        faults.keySet().forEach(name -> all.add(Map.of("name", name, "active", active.getOrDefault(name, false))));
        return all;
    }

    /** Resumes the suspended processes, so that they can be ended. */
    synchronized void endAll() {
        for (String name : List.of("inventory-slow", "notification-down")) {
            if (active.getOrDefault(name, false)) {
                set(name, false);
            }
        }
    }
}

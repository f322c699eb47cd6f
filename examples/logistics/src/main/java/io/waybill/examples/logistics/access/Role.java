package io.waybill.examples.logistics.access;

enum Role {
    SUPER_ADMIN,
    FINANCE,
    DISPATCHER,
    DRIVER,
    AUDITOR;

    String authority() {
        return "ROLE_" + name();
    }
}

package io.waybill.examples.quality.wrong;

import org.springframework.web.bind.annotation.RestController;

/** A route without a transaction of its own, which breaks the rule. */
@RestController
public class WrongRoutes {
    private final WrongService service;

    WrongRoutes(WrongService service) {
        this.service = service;
    }

    void route() {
        service.ownTransaction();
    }
}

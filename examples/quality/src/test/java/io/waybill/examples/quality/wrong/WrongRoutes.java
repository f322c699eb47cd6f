package io.waybill.examples.quality.wrong;

import org.springframework.web.bind.annotation.RestController;

/** A route that leaves the transaction to whom it calls. */
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

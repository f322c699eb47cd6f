package io.waybill.examples.polyshop.service;

/** Who may send a request. */
public enum Access {
    /** Everybody; a token is not read. */
    PUBLIC,
    /** Every user with a valid token. */
    USER,
    /** Users with the role ADMIN. */
    ADMIN;

    public void require(Caller caller) {
        if (this == ADMIN && !caller.isAdmin()) {
            throw ApiException.forbidden();
        }
    }
}

package io.waybill.server.config;

/** How users of the HTTP server sign in. */
public enum SignIn {
    /** Not at all: every local user may do everything. Possible on loopback only. */
    NONE,
    /** With a name and a password of the users file. */
    PASSWORD,
    /** With a bearer token (JWT) that another program issues. */
    TOKEN
}

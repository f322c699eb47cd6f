/** The sign-in of users: passwords, sessions and tokens. */
@NullMarked
package io.waybill.server.http.access;

import org.jspecify.annotations.NullMarked;

/** Users, passwords, sessions and tokens. */
@NullMarked
package io.waybill.examples.polyshop.auth;

import org.jspecify.annotations.NullMarked;

/** Status, searches and dead letters for operators, for both engines. Not part of the public API. */
@NullMarked
package io.waybill.jdbc.internal.admin;

import org.jspecify.annotations.NullMarked;

/** Who may sign in, and how. */
@NullMarked
package io.waybill.server.http.access;

import org.jspecify.annotations.NullMarked;

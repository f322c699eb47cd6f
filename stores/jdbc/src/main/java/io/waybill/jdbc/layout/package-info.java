/** Serves outbox tables that are not Waybill's own.. */
@NullMarked
package io.waybill.jdbc.layout;

import org.jspecify.annotations.NullMarked;

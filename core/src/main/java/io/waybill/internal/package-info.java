/** Code shared by the modules of Waybill. Not an API; may change in any release. */
@NullMarked
package io.waybill.internal;

import org.jspecify.annotations.NullMarked;

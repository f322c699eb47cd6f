/** Shared by Waybill's own modules; no API, and may change in any release. */
@NullMarked
package io.waybill.internal;

import org.jspecify.annotations.NullMarked;

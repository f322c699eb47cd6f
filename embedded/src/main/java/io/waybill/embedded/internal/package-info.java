/** What must be public for another library to load it by name; no API. */
@NullMarked
package io.waybill.embedded.internal;

import org.jspecify.annotations.NullMarked;

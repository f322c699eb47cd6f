/** Events as rows: how they are read, and how many of them fit into a claim. Not part of the public API. */
@NullMarked
package io.waybill.jdbc.internal.event;

import org.jspecify.annotations.NullMarked;

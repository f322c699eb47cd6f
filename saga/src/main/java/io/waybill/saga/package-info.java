/** Sagas: business transactions of several steps, in one service or several, which complete or are undone. */
@NullMarked
package io.waybill.saga;

import org.jspecify.annotations.NullMarked;

/** Sagas under faults on virtual time, and the checker of their effects. */
@NullMarked
package io.waybill.faults.saga;

import org.jspecify.annotations.NullMarked;

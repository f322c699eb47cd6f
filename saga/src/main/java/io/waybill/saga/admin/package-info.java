/** The view of operators on sagas, and their actions. */
@NullMarked
package io.waybill.saga.admin;

import org.jspecify.annotations.NullMarked;

/** The services that execute the commands of sagas. */
@NullMarked
package io.waybill.saga.participant;

import org.jspecify.annotations.NullMarked;

/** Tests of the notification service. */
@NullMarked
package io.waybill.examples.polyshop.notification;

import org.jspecify.annotations.NullMarked;

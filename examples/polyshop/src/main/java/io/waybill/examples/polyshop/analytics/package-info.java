/** Sales and other figures: a consumer only. */
@NullMarked
package io.waybill.examples.polyshop.analytics;

import org.jspecify.annotations.NullMarked;

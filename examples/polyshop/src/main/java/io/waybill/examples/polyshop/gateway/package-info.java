/** The gateway of the shop: checks tokens, limits rates, and passes requests on. */
@NullMarked
package io.waybill.examples.polyshop.gateway;

import org.jspecify.annotations.NullMarked;

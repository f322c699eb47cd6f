/** The product index: a consumer only. */
@NullMarked
package io.waybill.examples.polyshop.search;

import org.jspecify.annotations.NullMarked;

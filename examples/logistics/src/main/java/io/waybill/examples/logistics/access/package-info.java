@NullMarked
package io.waybill.examples.logistics.access;

import org.jspecify.annotations.NullMarked;

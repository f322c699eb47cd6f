@NullMarked
package io.waybill.envelope;

import org.jspecify.annotations.NullMarked;

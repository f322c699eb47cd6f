@NullMarked
package io.waybill.examples.logistics;

import org.jspecify.annotations.NullMarked;

@NullMarked
package io.waybill.examples.social;

import org.jspecify.annotations.NullMarked;

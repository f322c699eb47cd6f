@NullMarked
package io.waybill.server.up;

import org.jspecify.annotations.NullMarked;

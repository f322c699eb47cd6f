@NullMarked
package io.waybill.server.daemon;

import org.jspecify.annotations.NullMarked;

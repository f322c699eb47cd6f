@NullMarked
package io.waybill.server;

import org.jspecify.annotations.NullMarked;

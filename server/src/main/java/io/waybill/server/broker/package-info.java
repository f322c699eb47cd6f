@NullMarked
package io.waybill.server.broker;

import org.jspecify.annotations.NullMarked;

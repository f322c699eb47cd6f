@NullMarked
package io.waybill.server.config;

import org.jspecify.annotations.NullMarked;

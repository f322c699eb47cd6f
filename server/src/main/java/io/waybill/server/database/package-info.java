@NullMarked
package io.waybill.server.database;

import org.jspecify.annotations.NullMarked;

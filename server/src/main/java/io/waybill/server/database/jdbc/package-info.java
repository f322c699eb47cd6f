@NullMarked
package io.waybill.server.database.jdbc;

import org.jspecify.annotations.NullMarked;

@NullMarked
package io.waybill.server.database.mongodb;

import org.jspecify.annotations.NullMarked;

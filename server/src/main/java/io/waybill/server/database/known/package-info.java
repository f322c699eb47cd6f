@NullMarked
package io.waybill.server.database.known;

import org.jspecify.annotations.NullMarked;

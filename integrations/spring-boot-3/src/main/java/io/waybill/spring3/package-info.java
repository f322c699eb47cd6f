/** What Spring Boot 3.5 needs beside the starter. */
@NullMarked
package io.waybill.spring3;

import org.jspecify.annotations.NullMarked;

package io.waybill.examples.logistics.web;

import io.waybill.inbox.IdempotencyKeys;
import java.util.Locale;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.TypeMismatchException;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.validation.FieldError;
import org.springframework.web.bind.MethodArgumentNotValidException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;
import tools.jackson.core.JacksonException;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.InputCoercionException;
import tools.jackson.core.exc.StreamReadException;

/** Errors as problem details (RFC 9457). */
@RestControllerAdvice
class Problems extends ResponseEntityExceptionHandler {

    @Override
    protected @Nullable ResponseEntity<Object> handleMethodArgumentNotValid(
            MethodArgumentNotValidException e, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        e.getBody()
                .setDetail(
                        e.getFieldErrors().stream().map(Problems::text).sorted().collect(Collectors.joining("; ")));
        return super.handleMethodArgumentNotValid(e, headers, status, request);
    }

    /** Returns the JSON name of the field and what is wrong with it. A rule about several fields names them itself. */
    private static String text(FieldError error) {
        String message = String.valueOf(error.getDefaultMessage());
        String name = error.getField().replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
        return "AssertTrue".equals(error.getCode()) ? message : name + " " + message;
    }

    @Override
    protected @Nullable ResponseEntity<Object> handleHttpMessageNotReadable(
            HttpMessageNotReadableException e, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(status, unreadable(e.getCause()));
        return handleExceptionInternal(e, problem, headers, status, request);
    }

    /** Jackson's own messages contain the names of classes. */
    private static String unreadable(@Nullable Throwable cause) {
        if (!(cause instanceof JacksonException json)) {
            return "The body must be a JSON object.";
        }
        String field = json.getPath().stream()
                .map(step ->
                        step.getPropertyName() == null ? "[" + step.getIndex() + "]" : "." + step.getPropertyName())
                .collect(Collectors.joining())
                .replaceFirst("^\\.", "");
        if (json instanceof InputCoercionException) {
            return field.isEmpty() ? "A number in the body is out of range." : field + " is out of range";
        }
        if (json instanceof StreamReadException) {
            TokenStreamLocation location = json.getLocation();
            return "The body is not well-formed JSON: see line " + location.getLineNr() + ", column "
                    + location.getColumnNr() + ".";
        }
        return field.isEmpty() ? "The body must be a JSON object." : field + " has the wrong type";
    }

    @Override
    protected @Nullable ResponseEntity<Object> handleTypeMismatch(
            TypeMismatchException e, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        String type = UUID.class.equals(e.getRequiredType()) ? "a UUID" : "a number";
        ProblemDetail problem =
                ProblemDetail.forStatusAndDetail(status, e.getPropertyName() + " must be " + type + ".");
        return handleExceptionInternal(e, problem, headers, status, request);
    }

    @ExceptionHandler
    ResponseEntity<ProblemDetail> conflict(IdempotencyKeys.Conflict e) {
        ResponseEntity.BodyBuilder response = ResponseEntity.status(HttpStatus.CONFLICT);
        if (e.isInProgress()) {
            response.header(HttpHeaders.RETRY_AFTER, "1");
        }
        return response.body(ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, e.getMessage()));
    }

    @ExceptionHandler({
        CannotCreateTransactionException.class,
        CannotGetJdbcConnectionException.class,
        TransientDataAccessException.class
    })
    ProblemDetail unavailable() {
        return ProblemDetail.forStatusAndDetail(
                HttpStatus.SERVICE_UNAVAILABLE, "The database does not answer. Repeat the request with the same key.");
    }
}

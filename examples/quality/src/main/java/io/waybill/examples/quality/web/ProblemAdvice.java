package io.waybill.examples.quality.web;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.TypeMismatchException;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.validation.FieldError;
import org.springframework.web.bind.MethodArgumentNotValidException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.method.annotation.HandlerMethodValidationException;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;

/** Describes what is wrong with a request, field by field. For internal errors it returns only the request's id. */
@RestControllerAdvice
class ProblemAdvice extends ResponseEntityExceptionHandler {
    private static final Logger LOG = LoggerFactory.getLogger(ProblemAdvice.class);

    @Override
    protected @Nullable ResponseEntity<Object> handleMethodArgumentNotValid(
            MethodArgumentNotValidException e, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        return invalid(
                e,
                e.getBindingResult().getFieldErrors().stream()
                        .map(error -> error(
                                snake(error),
                                error.isBindingFailure() ? "has the wrong type or form" : error.getDefaultMessage()))
                        .toList(),
                request);
    }

    @Override
    protected @Nullable ResponseEntity<Object> handleHandlerMethodValidationException(
            HandlerMethodValidationException e, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        return invalid(
                e,
                e.getParameterValidationResults().stream()
                        .flatMap(result -> result.getResolvableErrors().stream()
                                .map(error -> error(
                                        result.getMethodParameter().getParameterName(), error.getDefaultMessage())))
                        .toList(),
                request);
    }

    @Override
    protected @Nullable ResponseEntity<Object> handleHttpMessageNotReadable(
            HttpMessageNotReadableException e, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        ProblemDetail problem = NestedExceptionUtils.getMostSpecificCause(e) instanceof BodyTooLargeException large
                ? Problems.tooLarge(large)
                : Problems.of(HttpStatus.BAD_REQUEST, UnreadableBody.reason(e));
        return answer(e, problem, request);
    }

    @Override
    protected @Nullable ResponseEntity<Object> handleTypeMismatch(
            TypeMismatchException e, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        Class<?> wanted = e.getRequiredType();
        String what = wanted != null && wanted.isEnum() ? UnreadableBody.noneOf(wanted) : "has the wrong type or form.";
        return answer(e, Problems.of(HttpStatus.BAD_REQUEST, "Parameter " + e.getPropertyName() + " " + what), request);
    }

    @ExceptionHandler({CannotCreateTransactionException.class, DataAccessResourceFailureException.class})
    @Nullable
    ResponseEntity<Object> databaseIsOut(Exception e, WebRequest request) {
        if (ChangeOutcome.current() != ChangeOutcome.UNCHANGED) {
            return ourFault(e, request);
        }
        LOG.warn("The database does not answer: {}", e.getMessage());
        String detail = "The database does not answer. " + ChangeOutcome.UNCHANGED.sentence() + " Try again.";
        return failed(e, HttpStatus.SERVICE_UNAVAILABLE, detail, ChangeOutcome.UNCHANGED, request);
    }

    /** The database has refused the change, so a commit in progress did not happen. */
    @ExceptionHandler
    @Nullable
    ResponseEntity<Object> inTheWay(ConcurrencyFailureException e, WebRequest request) {
        String detail = "Another request changes the same thing. Try again.";
        return answer(e, Problems.of(HttpStatus.CONFLICT, detail), request);
    }

    @ExceptionHandler
    @Nullable
    ResponseEntity<Object> ourFault(Exception e, WebRequest request) {
        ChangeOutcome outcome = ChangeOutcome.current();
        LOG.error("A request failed; outcome of its change: {}", outcome.label(), e);
        String detail =
                "The request failed. " + outcome.sentence() + " The log says why, under the id in X-Request-Id.";
        return failed(e, HttpStatus.INTERNAL_SERVER_ERROR, detail, outcome, request);
    }

    private @Nullable ResponseEntity<Object> failed(
            Exception e, HttpStatus status, String detail, ChangeOutcome outcome, WebRequest request) {
        ProblemDetail problem = Problems.of(status, detail);
        problem.setProperty("outcome", outcome.label());
        return answer(e, problem, request);
    }

    private @Nullable ResponseEntity<Object> invalid(
            Exception e, List<Map<String, String>> errors, WebRequest request) {
        ProblemDetail problem = Problems.of(HttpStatus.BAD_REQUEST, "The request is not valid.");
        problem.setProperty("errors", errors);
        return answer(e, problem, request);
    }

    private @Nullable ResponseEntity<Object> answer(Exception e, ProblemDetail problem, WebRequest request) {
        return handleExceptionInternal(
                e, problem, new HttpHeaders(), HttpStatusCode.valueOf(problem.getStatus()), request);
    }

    private static Map<String, String> error(@Nullable String field, @Nullable String message) {
        return Map.of("field", String.valueOf(field), "message", String.valueOf(message));
    }

    private static String snake(FieldError error) {
        return error.getField().replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
    }
}

package io.waybill.examples.polyshop.order;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** Answers all errors of routes with the body that the services of the shop share. */
@RestControllerAdvice
class ErrorAdvice {
    @ExceptionHandler(Exception.class)
    void refused(Exception failure, HttpServletRequest request, HttpServletResponse response) throws IOException {
        RequestFilter.answer(request, response, RequestFilter.problem(failure));
    }
}

package io.waybill.spring;

/** The consumer group of this application. */
public record InboxName(String group) {}

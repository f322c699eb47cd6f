package io.waybill.bench.report;

import java.util.List;

/**
 * The presentation of a scenario.
 *
 * @param baselines contestants that the others are compared with, round by round
 * @param undisturbed the variant that the others of the same contestant are compared with; empty for none
 */
public record Section(String scenario, String description, List<String> baselines, String undisturbed) {}

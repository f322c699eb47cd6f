package io.waybill.examples.quality;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import io.waybill.examples.quality.wrong.WrongRoutes;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The service follows the rules, and each rule finds a violation. */
class TransactionRulesTest {
    @Test
    void theServiceFollowsTheRules() {
        JavaClasses service = new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackagesOf(QualityApplication.class);
        TransactionRules.ALL.forEach(rule -> rule.check(service));
    }

    @Test
    void everyRuleFindsItsCounterExample() {
        JavaClasses wrong = new ClassFileImporter().importPackagesOf(WrongRoutes.class);
        List<ArchRule> blind = TransactionRules.ALL.stream()
                .filter(rule -> !rule.evaluate(wrong).hasViolation())
                .toList();
        assertThat(blind).isEmpty();
    }
}

package io.waybill.inbox;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** No database and no broker in the inbox: those are the stores' and the transports'. */
@AnalyzeClasses(packages = "io.waybill.inbox", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    @ArchTest
    static final ArchRule theInboxDependsOnCoreTheJdkLoggingAndAJsonParserOnly = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "io.waybill..",
                    "java.lang..",
                    "java.util..",
                    "java.time..",
                    "java.nio..",
                    "java.security..",
                    "org.slf4j..",
                    "org.jspecify..",
                    "tools.jackson.core..");

    /** A service that only consumes gets by without the relay. */
    @ArchTest
    static final ArchRule theInboxDoesNotDependOnTheRelay =
            noClasses().should().dependOnClassesThat().resideInAPackage("io.waybill.relay..");
}

package io.waybill.inbox;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The inbox depends on no database and no broker, and its packages depend on each other in one direction. */
@AnalyzeClasses(packages = "io.waybill.inbox", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    private static final String MESSAGE = "io.waybill.inbox.internal.message";
    private static final String BREAKER = "io.waybill.inbox.internal.breaker";
    private static final String HANDLING = "io.waybill.inbox.internal.handling";
    private static final String CONSUMER = "io.waybill.inbox.internal.consumer";

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

    /** Every package is a slice of its own; those below {@code internal} may use the values of the public package. */
    @ArchTest
    static final ArchRule roomsHaveNoCycles =
            slices().matching("io.waybill.inbox.internal.(*)..").should().beFreeOfCycles();

    /** The public package is built on them. Only the loops of the consumers use an inbox. */
    @ArchTest
    static final ArchRule roomsDoNotUseTheInboxItself = noClasses()
            .that()
            .resideInAnyPackage(MESSAGE, BREAKER, HANDLING)
            .should()
            .accessClassesThat()
            .belongToAnyOf(Inbox.class, InProcessTransport.class)
            .orShould()
            .dependOnClassesThat()
            .resideInAPackage(CONSUMER);

    @ArchTest
    static final ArchRule messagesUseNoOtherRoom = noClasses()
            .that()
            .resideInAPackage(MESSAGE)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(BREAKER, HANDLING);

    @ArchTest
    static final ArchRule theBreakerUsesNoOtherRoom = noClasses()
            .that()
            .resideInAPackage(BREAKER)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(MESSAGE, HANDLING);

    /** A service that only consumes gets by without the relay. */
    @ArchTest
    static final ArchRule theInboxDoesNotDependOnTheRelay =
            noClasses().should().dependOnClassesThat().resideInAPackage("io.waybill.relay..");
}

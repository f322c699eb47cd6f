package io.waybill;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.time.Clock;
import java.time.Instant;

/** One direction of flow, and nothing in core that a service would not want on its class path. */
@AnalyzeClasses(packages = "io.waybill", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    @ArchTest
    static final ArchRule coreDependsOnTheJdkLoggingAndAnnotationsOnly = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("io.waybill..", "java..", "org.slf4j..", "org.jspecify..", "com.github.f4b6a3.uuid..");

    @ArchTest
    static final ArchRule coreKnowsNoDatabase =
            noClasses().should().dependOnClassesThat().resideInAnyPackage("java.sql..", "javax.sql..");

    @ArchTest
    static final ArchRule storesAndTransportsKnowNothingOfEachOther = noClasses()
            .that()
            .resideInAPackage("..store..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("..transport..", "..relay..", "..envelope..");

    @ArchTest
    static final ArchRule transportsKnowNothingOfStoresOrRelays = noClasses()
            .that()
            .resideInAPackage("..transport..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("..store..", "..relay..", "..operate..");

    /** All times are the database's; what a relay measures itself is monotonic. Only an event's own time is the writer's. */
    @ArchTest
    static final ArchRule nothingIsDecidedByTheLocalClock = noClasses()
            .that()
            .doNotHaveFullyQualifiedName(Event.class.getName())
            .should()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(Instant.class, "now")
            .orShould()
            .dependOnClassesThat()
            .areAssignableTo(Clock.class);

    @ArchTest
    static final ArchRule packagesHaveNoCycles =
            slices().matching("io.waybill.(*)..").should().beFreeOfCycles();
}

package io.waybill.server;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.javalin.router.JavalinDefaultRoutingApi;

/** The packages of the program depend on each other in one direction: Main, commands, daemon, servers, settings, problems. */
@AnalyzeClasses(packages = "io.waybill.server", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    /** Every package is a slice of its own, {@code io.waybill.server} and nested packages included. */
    @ArchTest
    static final ArchRule packagesHaveNoCycles =
            slices().matching("io.waybill.(**)").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule onlyCommandsDependOnTheCommandLine = noClasses()
            .that()
            .resideOutsideOfPackages("io.waybill.server", "io.waybill.server.cli..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.waybill.server.cli..", "picocli..");

    @ArchTest
    static final ArchRule onlyTheHttpServerDependsOnItsLibrary = noClasses()
            .that()
            .resideOutsideOfPackage("io.waybill.server.http..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.javalin..", "org.eclipse.jetty..");

    /** A route that is registered elsewhere would have no declared role. */
    @ArchTest
    static final ArchRule onlyRoutesRegistersRoutes = noClasses()
            .that()
            .doNotHaveFullyQualifiedName("io.waybill.server.http.request.Routes")
            .should()
            .callMethodWhere(DescribedPredicate.describe(
                    "it registers a route",
                    call -> call.getTargetOwner().isAssignableTo(JavalinDefaultRoutingApi.class)
                            || call.getTargetOwner().getPackageName().equals("io.javalin.apibuilder")));

    @ArchTest
    static final ArchRule databasesAndBrokersAreIndependentOfEachOther = noClasses()
            .that()
            .resideInAPackage("io.waybill.server.database..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.waybill.server.broker");
}

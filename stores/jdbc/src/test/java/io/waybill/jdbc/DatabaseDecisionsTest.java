package io.waybill.jdbc;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.waybill.jdbc.internal.sql.H2Dialect;
import io.waybill.jdbc.internal.sql.MariaDbDialect;
import io.waybill.jdbc.internal.sql.MySqlDialect;
import io.waybill.jdbc.internal.sql.PostgresDialect;

/** A new database is a new dialect. All other classes ask a dialect for what it can do, never which database it is. */
@AnalyzeClasses(packages = "io.waybill.jdbc", importOptions = ImportOption.DoNotIncludeTests.class)
class DatabaseDecisionsTest {
    @ArchTest
    static final ArchRule noClassComparesAProduct = noClasses()
            .that()
            .doNotBelongToAnyOf(DatabaseProduct.class)
            .should()
            .getField(DatabaseProduct.class, "POSTGRESQL")
            .orShould()
            .getField(DatabaseProduct.class, "MARIADB")
            .orShould()
            .getField(DatabaseProduct.class, "MYSQL")
            .orShould()
            .getField(DatabaseProduct.class, "H2");

    @ArchTest
    static final ArchRule noClassComparesADialect = noClasses()
            .that()
            .doNotBelongToAnyOf(
                    DatabaseProduct.class,
                    PostgresDialect.class,
                    MariaDbDialect.class,
                    MySqlDialect.class,
                    H2Dialect.class)
            .should()
            .dependOnClassesThat()
            .belongToAnyOf(MariaDbDialect.class, MySqlDialect.class, H2Dialect.class);

    /** The journal engine runs on PostgreSQL only. */
    @ArchTest
    static final ArchRule onlyTheJournalKnowsPostgres = noClasses()
            .that()
            .doNotBelongToAnyOf(DatabaseProduct.class, PostgresDialect.class)
            .and()
            .resideOutsideOfPackage("..jdbc.internal.journal..")
            .should()
            .dependOnClassesThat()
            .belongToAnyOf(PostgresDialect.class);
}

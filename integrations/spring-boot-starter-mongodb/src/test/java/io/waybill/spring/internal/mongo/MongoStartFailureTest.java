package io.waybill.spring.internal.mongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoDatabase;
import io.waybill.spring.WaybillProperties.Schema;
import io.waybill.spring.internal.start.StartFailure;
import io.waybill.testkit.servers.SharedServers;
import java.lang.reflect.Proxy;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.data.mongodb.MongoTransactionManager;

/** The report of a failed start names the remedy. */
@Timeout(660) // the first test may download DocumentDB
@ExtendWith(OutputCaptureExtension.class)
class MongoStartFailureTest {
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class WithoutTransactions {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Plain {
        @Bean
        MongoTransactionManager transactionManager(MongoDatabaseFactory factory) {
            return new MongoTransactionManager(factory);
        }
    }

    private static void fails(Class<?> application, String... properties) {
        SpringApplicationBuilder builder = new SpringApplicationBuilder(application)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.application.name=shop",
                        "spring.main.banner-mode=off",
                        "spring.mongodb.uri=" + SharedServers.mongoUri(),
                        "spring.mongodb.database=" + SharedServers.freshMongoName())
                .properties(properties);
        assertThatThrownBy(builder::run).isNotNull();
    }

    @Test
    void aMissingTransactionManagerIsReported(CapturedOutput output) {
        fails(WithoutTransactions.class);
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("no MongoTransactionManager of its MongoDatabaseFactory")
                .contains("@Bean MongoTransactionManager");
    }

    @Test
    void theReportOfMissingCollectionsContainsTheirScript(CapturedOutput output) {
        fails(Plain.class);
        assertThat(output)
                .contains("These collections do not exist: outbox_events")
                .contains("Set waybill.schema=apply")
                .contains("db.createCollection(\"outbox_events\")");
    }

    @Test
    void anUnreachableServerIsReported(CapturedOutput output) {
        fails(Plain.class, "spring.mongodb.uri=mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=300");
        assertThat(output).contains("Waybill cannot reach the MongoDB of its outbox", "spring.mongodb.uri");
    }

    @Test
    void aStandaloneServerIsReported() {
        MongoAtStart standalone = new MongoAtStart(answering(new Document("ok", 1)), "shop", Schema.CHECK);
        assertThatThrownBy(standalone::outbox)
                .isInstanceOf(StartFailure.class)
                .hasMessageContaining("standalone server");
    }

    /** A server that gives this answer to every command. */
    private static MongoClient answering(Document answer) {
        MongoDatabase database = fake(MongoDatabase.class, answer);
        return fake(MongoClient.class, database);
    }

    private static <T> T fake(Class<T> type, Object result) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> result));
    }
}

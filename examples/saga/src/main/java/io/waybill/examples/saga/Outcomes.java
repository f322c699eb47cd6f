package io.waybill.examples.saga;

import io.waybill.examples.saga.Faults.Fault;
import io.waybill.saga.SagaResult;
import io.waybill.saga.store.HistoryEntry;
import io.waybill.saga.store.SagaSignal;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/** Places one order for each fault, waits for the outcomes, prints them, and draws them. */
final class Outcomes {
    private static final Duration LIMIT = Duration.ofSeconds(90);
    private static final int MOST_WARM_UPS = 10;
    private static final String NO_PAYMENT = "the payment provider has no such payment";
    private static final String COUNTED = "the stock was counted by hand";

    private final Shop shop;
    private final PrintStream out;
    private final boolean decides;

    /** @param decides whether to make the decisions of the operator; if not, sagas that wait for a person are left as they are */
    Outcomes(Shop shop, PrintStream out, boolean decides) {
        this.shop = shop;
        this.out = out;
        this.decides = decides;
    }

    /**
     * Places orders without a fault until one completes. Until the topics exist and the consumers are assigned, a slow machine
     * exceeds the time-outs of the saga, and an order would end in another way than its fault says.
     */
    void warmUp(String prefix) throws SQLException, InterruptedException {
        for (int i = 1; i <= MOST_WARM_UPS; i++) {
            String id = prefix + "-warm-up-" + i;
            shop.place(id, Fault.NONE);
            await(id, this::decide);
            if (shop.result(id).success()) {
                return;
            }
        }
        throw new IllegalStateException(
                MOST_WARM_UPS + " orders without a fault did not complete in time. The machine is"
                        + " too slow at the moment; try again later.");
    }

    /**
     * Places an order for each fault, all at once, except that {@link Fault#STOCK_SILENT} comes alone and last: a slow stock service
     * would delay the other orders of its partition.
     *
     * @return the ids of the orders by their faults
     */
    Map<Fault, String> run(List<Fault> faults, String prefix) throws SQLException, InterruptedException {
        Map<Fault, String> orders = new LinkedHashMap<>();
        place(faults.stream().filter(fault -> fault != Fault.STOCK_SILENT).toList(), prefix, orders);
        place(faults.stream().filter(fault -> fault == Fault.STOCK_SILENT).toList(), prefix, orders);
        return orders;
    }

    private void place(List<Fault> faults, String prefix, Map<Fault, String> orders)
            throws SQLException, InterruptedException {
        for (Fault fault : faults) {
            String id = prefix + "-" + fault.name().toLowerCase(Locale.ROOT).replace('_', '-');
            orders.put(fault, id);
            shop.place(id, fault);
        }
        for (Fault fault : faults) {
            String id = orders.getOrDefault(fault, "");
            if (decides) {
                await(id, this::announceAndDecide);
            } else {
                awaitEndOrPerson(id);
            }
            print(fault, id);
        }
    }

    /** Waits until the saga has ended. Passes each step that waits for a person to the operator, once. */
    private void await(String id, BiConsumer<String, String> operator) throws InterruptedException {
        Set<String> decided = new HashSet<>();
        until(id, () -> {
            stuckSteps(id).stream().filter(decided::add).forEach(step -> operator.accept(id, step));
            return shop.ended(id);
        });
    }

    /** Waits until the saga has ended or waits for a person. */
    private void awaitEndOrPerson(String id) throws InterruptedException {
        until(id, () -> shop.ended(id) || !stuckSteps(id).isEmpty());
    }

    private void until(String id, BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new IllegalStateException("The saga of order " + id + " has not ended within " + LIMIT.toSeconds()
                        + " s. Its state: " + shop.result(id));
            }
            Thread.sleep(50);
        }
    }

    private List<String> stuckSteps(String id) {
        return Stream.of(shop.stuck(id).split(",", -1))
                .filter(step -> !step.isEmpty())
                .toList();
    }

    private static boolean isPayment(String step) {
        return step.equals("take-payment");
    }

    private void announceAndDecide(String id, String step) {
        out.println(
                isPayment(step)
                        ? "  " + id + ": the payment is in doubt. An operator finds no payment and refuses the step."
                        : "  " + id + ": " + step + " cannot be undone. An operator skips its compensation.");
        decide(id, step);
    }

    private void decide(String id, String step) {
        if (isPayment(step)) {
            shop.decide(id, step, SagaSignal.Kind.REFUSE, NO_PAYMENT);
        } else {
            shop.decide(id, step, SagaSignal.Kind.SKIP, COUNTED);
        }
    }

    /** Returns the commands with which an operator examines the sagas of these orders and decides about those that wait. */
    List<String> commands(Map<Fault, String> orders) {
        List<String> commands = new ArrayList<>();
        commands.add("./waybill sagas list");
        List<String> stuck =
                orders.values().stream().filter(id -> !stuckSteps(id).isEmpty()).toList();
        if (!stuck.isEmpty()) {
            commands.add("./waybill sagas list --stuck");
        }
        for (String id : stuck.isEmpty() ? orders.values() : stuck) {
            String saga = shop.sagaName() + "/" + id;
            commands.add("./waybill sagas show " + saga);
            for (String step : stuckSteps(id)) {
                commands.add(
                        isPayment(step)
                                ? "./waybill sagas refuse " + saga + " --reason '" + NO_PAYMENT + "'"
                                : "./waybill sagas skip " + saga + " --reason '" + COUNTED + "'");
            }
        }
        return commands;
    }

    private void print(Fault fault, String id) {
        SagaResult<Order> result = shop.result(id);
        out.printf(
                "%n%s  %s%s  (%s, %d ms)%n",
                id,
                result.status(),
                shop.ended(id) ? "" : ", not ended",
                fault == Fault.NONE
                        ? "no fault"
                        : fault.name().toLowerCase(Locale.ROOT).replace('_', ' '),
                result.executionTime().toMillis());
        List<HistoryEntry> history = shop.history(id);
        for (HistoryEntry entry : history) {
            out.printf(
                    "    %6d ms  %-28s %-16s %s%n",
                    Duration.between(history.get(0).at(), entry.at()).toMillis(),
                    entry.kind().name().toLowerCase(Locale.ROOT).replace('_', ' '),
                    entry.step() == null ? "" : entry.step(),
                    entry.detail() == null ? "" : entry.detail());
        }
        for (String step : stuckSteps(id)) {
            out.println("    Step " + step + " waits for a decision by a person.");
        }
    }

    /** Writes a Markdown page with the definition and each outcome as Mermaid pictures. */
    void draw(Map<Fault, String> orders, Path page) throws IOException {
        StringBuilder text = new StringBuilder("# Outcomes of the order saga\n\n## The definition\n\n");
        block(text, shop.picture());
        for (Map.Entry<Fault, String> order : orders.entrySet()) {
            text.append("## ")
                    .append(order.getKey().name().toLowerCase(Locale.ROOT).replace('_', ' '))
                    .append(": ")
                    .append(shop.result(order.getValue()).status())
                    .append("\n\n");
            block(text, shop.picture(order.getValue()));
        }
        Files.writeString(page, text);
    }

    private static void block(StringBuilder text, String picture) {
        text.append("```mermaid\n").append(picture).append("```\n\n");
    }
}

package io.waybill.examples.logistics.orders;

import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.PositiveOrZero;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * An amount of money.
 *
 * @param minor the amount in the smallest unit of the currency, for example cents
 * @param currency an ISO 4217 code
 */
record Money(
        @PositiveOrZero long minor,

        @NotNull @Pattern(regexp = "[A-Z]{3}", message = "must be three capital letters, such as EUR")
        String currency) {

    /**
     * Divides the amount in proportion to the weights. The shares add up to the amount exactly: each is rounded down, and the units
     * that are left go to the shares with the largest remainders, the first of equal ones first.
     *
     * @param weights positive numbers, at least one
     */
    List<Long> allocate(List<Long> weights) {
        BigInteger amount = BigInteger.valueOf(minor);
        BigInteger sum = weights.stream().map(BigInteger::valueOf).reduce(BigInteger.ZERO, BigInteger::add);
        List<Long> shares = new ArrayList<>();
        List<BigInteger> remainders = new ArrayList<>();
        long left = minor;
        for (long weight : weights) {
            BigInteger[] share = amount.multiply(BigInteger.valueOf(weight)).divideAndRemainder(sum);
            shares.add(share[0].longValueExact());
            remainders.add(share[1]);
            left -= share[0].longValueExact();
        }
        IntStream.range(0, shares.size())
                .boxed()
                .sorted(Comparator.comparing(remainders::get, Comparator.reverseOrder()))
                .limit(left)
                .forEach(i -> shares.set(i, shares.get(i) + 1));
        return shares;
    }
}

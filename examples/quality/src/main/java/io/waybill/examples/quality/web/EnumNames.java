package io.waybill.examples.quality.web;

import java.util.Arrays;
import org.springframework.core.convert.converter.Converter;
import org.springframework.core.convert.converter.ConverterFactory;

/** Reads enums in request parameters by their names, in any case; all other values, including empty ones, are refused. */
final class EnumNames implements ConverterFactory<String, Enum<?>> {
    @Override
    public <T extends Enum<?>> Converter<String, T> getConverter(Class<T> type) {
        return name -> Arrays.stream(type.getEnumConstants())
                .filter(each -> each.name().equalsIgnoreCase(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("No such " + type.getSimpleName()));
    }
}

package io.waybill.examples.quality.web;

import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import java.io.IOException;
import org.springframework.util.unit.DataSize;

/** A request body that throws when more bytes than its limit are read. */
final class BoundedInput extends ServletInputStream {
    private final ServletInputStream input;
    private final DataSize limit;
    private long read;

    BoundedInput(ServletInputStream input, DataSize limit) {
        this.input = input;
        this.limit = limit;
    }

    @Override
    public int read() throws IOException {
        int next = input.read();
        count(next < 0 ? 0 : 1);
        return next;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        int count = input.read(bytes, offset, length);
        count(Math.max(count, 0));
        return count;
    }

    private void count(int more) throws BodyTooLargeException {
        read += more;
        if (read > limit.toBytes()) {
            throw new BodyTooLargeException(limit);
        }
    }

    @Override
    public boolean isFinished() {
        return input.isFinished();
    }

    @Override
    public boolean isReady() {
        return input.isReady();
    }

    @Override
    public void setReadListener(ReadListener listener) {
        input.setReadListener(listener);
    }
}

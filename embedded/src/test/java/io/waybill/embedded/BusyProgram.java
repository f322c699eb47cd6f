package io.waybill.embedded;

/** A program whose threads never wait. It prints a line when all of them run. */
final class BusyProgram {
    private static final int THREADS = 20;

    private BusyProgram() {}

    @SuppressWarnings("InfiniteLoopStatement")
    public static void main(String[] arguments) {
        for (int n = 0; n < THREADS; n++) {
            new Thread(() -> {
                        long turns = 0;
                        while (true) {
                            turns++;
                        }
                    })
                    .start();
        }
        System.out.println("busy");
    }
}

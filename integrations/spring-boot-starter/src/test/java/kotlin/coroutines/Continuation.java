package kotlin.coroutines;

/** Stands in for Kotlin's type of this name, which the compiler adds to the parameters of a suspend function. */
public interface Continuation<T> {}

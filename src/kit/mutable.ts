/**
 * Removes `readonly`, for the code that creates an object which others only read.
 *
 * V8 gives each object literal with a getter, and each closure of a generator function, a hidden class of its own. That slows down every
 * use of it, and keeps all that it can reach until the next full collection. What is made for each question therefore has plain
 * properties, which its creator writes, and functions.
 */
export type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

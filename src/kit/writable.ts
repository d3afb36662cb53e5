/**
 * Is what makes an object that others only read: a property whose value changes is written by its maker. V8 gives each object literal
 * with a getter a hidden class of its own, which slows down every use of it and keeps all that the getter can reach until the next full
 * collection; so what is made for each question has plain properties and functions.
 */
export type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

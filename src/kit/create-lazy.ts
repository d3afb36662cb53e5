/** Returns a function that makes the value when it is first called, and gives the same one from then on. */
export function createLazy<Value extends object | string>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

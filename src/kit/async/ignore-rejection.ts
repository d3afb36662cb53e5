/**
 * Waits for work whose failure matters to nobody here, and resolves to undefined when it fails. `reason` is for the reader of the
 * call: it says who handles the failure, or why nobody has to. There is no work to wait for when it is undefined.
 */
export async function ignoreRejection<T>(work: Promise<T> | undefined, reason: string): Promise<T | undefined> {
  void reason;
  try {
    return await work;
  } catch {
    return undefined;
  }
}

/**
 * Does the work for a call, but never twice at once: whoever calls while it is being done shares one more go, which begins when that
 * one has ended and so sees all that had changed by the call.
 */
export function joinCalls(work: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  function start(): Promise<void> {
    next = undefined;
    const started = work().finally(() => {
      if (current === started) current = undefined;
    });
    current = started;
    return started;
  }
  return () => {
    if (next !== undefined) return next;
    if (current === undefined) return start();
    next = current.then(start, start);
    return next;
  };
}

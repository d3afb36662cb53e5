/** Gives the time in milliseconds since the epoch, with fractions; it never jumps, whatever becomes of the system's clock. */
export type Clock = () => number;

export function startClock(): Clock {
  const origin = Date.now() - performance.now();
  return () => origin + performance.now();
}

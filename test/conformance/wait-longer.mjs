// Loaded into the conformance suite's process: it reads some streams for 500 to 1,500 ms alone, which a busy machine can
// need for the first frame. A stream that ends, or has the frames that are waited for, is not waited for any longer.
const startTimer = globalThis.setTimeout;

globalThis.setTimeout = (callback, delayMs, ...values) => startTimer(callback, stretch(delayMs), ...values);

function stretch(delayMs) {
  if (delayMs >= 500 && delayMs <= 1000) return 20 * delayMs;
  // One of these waits to its end, for a frame that must not come.
  return delayMs === 1500 ? 4 * delayMs : delayMs;
}

/** Calls the function with the newest value at most once for each frame that is drawn, and soon in a tab that draws none. */
export function limitToFrames<T>(window: Window, draw: (value: T) => void): (value: T) => void {
  let newest: { value: T } | undefined;
  let frame = 0;
  let timer = 0;
  const runNow = (): void => {
    window.cancelAnimationFrame(frame);
    window.clearTimeout(timer);
    const taken = newest;
    newest = undefined;
    if (taken !== undefined) draw(taken.value);
  };
  return (value) => {
    const waits = newest !== undefined;
    newest = { value };
    if (waits) return;
    frame = window.requestAnimationFrame(runNow);
    timer = window.setTimeout(runNow, hiddenMs);
  };
}

/** Tabs in the background draw no frames. */
const hiddenMs = 400;

/** The seconds since something began, while it goes on. */
export interface Clock {
  run(isRunning: boolean): void;
}

/**
 * Counts in the element's `data-seconds`, which the style shows: what is read out, copied or compared is not changed by it. It
 * stops by itself where the element has left the page.
 */
export function createClock(element: HTMLElement): Clock {
  let timer: ReturnType<typeof setInterval> | undefined;
  let startedAt = 0;
  const stop = (): void => {
    clearInterval(timer);
    timer = undefined;
    element.removeAttribute("data-seconds");
  };
  const tick = (): void => {
    const seconds = Math.floor((performance.now() - startedAt) / 1000);
    if (element.isConnected) element.setAttribute("data-seconds", String(seconds));
    else stop();
  };
  return {
    run(isRunning) {
      if (!isRunning) stop();
      if (!isRunning || timer !== undefined) return;
      startedAt = performance.now();
      timer = setInterval(tick, 1000);
    },
  };
}

import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** Is how large the space for new objects has to be before V8's heap is limited, in bytes. */
const enoughBytes = 8_000_000;

/** Lists the flags that limit V8's heap. V8 reads them each time it collects; its limits by size are read only when a process begins. */
const limits = [
  // The space for new objects would grow to 134 MB while many calls go on, which saves no processor time here.
  "--semi-space-growth-factor=1",
  // It is so small then that threads that share its collection take longer to begin than to do it.
  "--no-parallel-scavenge",
  // All objects are collected when they take twice the memory that was left the last time; V8 would wait for up to four times as much.
  "--heap-growing-percent=100",
];

/**
 * Keeps V8's heap small once it grows. An idle server and a short command are left alone. Returns a function that stops looking
 * after it.
 */
export function limitHeap(): () => void {
  const observer = new PerformanceObserver(() => {
    const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space");
    if (space === undefined || space.space_size < enoughBytes) return;
    observer.disconnect();
    for (const flag of limits) setFlagsFromString(flag);
  });
  observer.observe({ entryTypes: ["gc"] });
  return () => observer.disconnect();
}

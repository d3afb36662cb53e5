import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/**
 * Lists flags that V8 reads at each collection, and how large a part of the heap is, in bytes, when they begin to pay. V8's limits by
 * size are read only when a process begins.
 */
const stages = [
  {
    space: "new_space",
    bytes: 8_000_000,
    flags: [
      // The new space would grow to 134 MB while many calls go on, which saves no processor time here.
      "--semi-space-growth-factor=1",
      // To scavenge so small a new space takes less time than to start the threads that would help.
      "--no-parallel-scavenge",
    ],
  },
  {
    space: "old_space",
    bytes: 64_000_000,
    flags: [
      // A full collection starts at twice the live size of the last one. V8 waits for up to four times that size.
      "--heap-growing-percent=100",
    ],
  },
];

/**
 * Makes V8 collect garbage earlier once this process is busy. A server that waits keeps V8's defaults. The flags stay for the life of
 * the process. Returns a function that stops looking for that moment.
 *
 * Node's cache of compiled code tells code of other flags apart: a module that is loaded from here on is compiled once more by the next
 * process that has V8's defaults.
 */
export function collectGarbageEarlier(): () => void {
  const left = new Set(stages);
  const observer = new PerformanceObserver(() => {
    const sizes = new Map(getHeapSpaceStatistics().map(({ space_name: name, space_size: bytes }) => [name, bytes]));
    for (const stage of left) {
      if ((sizes.get(stage.space) ?? 0) < stage.bytes) continue;
      for (const flag of stage.flags) setFlagsFromString(flag);
      left.delete(stage);
    }
    if (left.size === 0) observer.disconnect();
  });
  observer.observe({ entryTypes: ["gc"] });
  return () => observer.disconnect();
}

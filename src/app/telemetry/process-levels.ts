import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Level } from "./instruments.ts";

/** Is how often the event loop's delay is sampled, in milliseconds. */
const resolution = 20;

/** Lists the process's own values, under names that dashboards recognise. `stop` ends the measuring. */
export function createProcessLevels(): { levels: Level[]; stop(): void } {
  const delay = monitorEventLoopDelay({ resolution });
  delay.enable();
  // The sampler's own pause is in what it finds.
  const toLagSeconds = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e9 - resolution / 1000) || 0;
  const createLag = (name: string, description: string, read: () => number): Level => ({
    name: `nodejs.eventloop.lag.${name}`,
    description,
    unit: "s",
    read: () => toLagSeconds(read()),
  });
  const levels: Level[] = [
    createLag("mean", "Mean delay of the event loop.", () => delay.mean),
    createLag("p50", "Half of the delays are shorter.", () => delay.percentile(50)),
    createLag("p99", "99 in 100 delays are shorter.", () => delay.percentile(99)),
    createLag("max", "Longest delay since the last reading.", () => {
      const longest = delay.max;
      delay.reset();
      return longest;
    }),
    {
      name: "process.resident_memory",
      description: "Resident memory.",
      unit: "By",
      read: () => process.memoryUsage.rss(),
    },
    {
      name: "nodejs.heap_size_used",
      description: "Memory of the heap in use.",
      unit: "By",
      read: () => process.memoryUsage().heapUsed,
    },
    {
      name: "process.start_time",
      description: "Start time of the process, since 1970.",
      unit: "s",
      read: () => performance.timeOrigin / 1000,
    },
    {
      name: "process.cpu",
      description: "Processor time, user and system.",
      unit: "s",
      isTotal: true,
      read() {
        const { user, system } = process.cpuUsage();
        return (user + system) / 1e6;
      },
    },
  ];
  return { levels, stop: () => void delay.disable() };
}

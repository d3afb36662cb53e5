import { monitorEventLoopDelay } from "node:perf_hooks";
import { Counter, Gauge, type Registry } from "prom-client";

/** How often the event loop's delay is looked at, in milliseconds. */
const resolution = 20;

/**
 * The process's own figures, under the names that prom-client gives them, so that dashboards know them. Its collector is not
 * used, as what it starts can never be stopped. Gives what ends the measuring.
 */
export function addProcessMetrics(registry: Registry): () => void {
  const registers = [registry];
  const delay = monitorEventLoopDelay({ resolution });
  delay.enable();

  function gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  }

  // The sampler's own pause is in what it finds.
  const lag = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e9 - resolution / 1000) || 0;
  gauge("nodejs_eventloop_lag_mean_seconds", "Mean delay of the event loop.", () => lag(delay.mean));
  gauge("nodejs_eventloop_lag_p50_seconds", "Half of the delays are shorter.", () => lag(delay.percentile(50)));
  gauge("nodejs_eventloop_lag_p99_seconds", "99 in 100 delays are shorter.", () => lag(delay.percentile(99)));
  gauge("nodejs_eventloop_lag_max_seconds", "Longest delay since the last look.", () => {
    const longest = lag(delay.max);
    delay.reset();
    return longest;
  });
  gauge("process_resident_memory_bytes", "Resident memory.", () => process.memoryUsage.rss());
  gauge("nodejs_heap_size_used_bytes", "Memory of the heap in use.", () => process.memoryUsage().heapUsed);
  gauge("process_start_time_seconds", "When the process began, since 1970.", () => performance.timeOrigin / 1000);
  new Counter({
    name: "process_cpu_seconds_total",
    help: "Processor time, of the user and of the system.",
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
  return () => void delay.disable();
}

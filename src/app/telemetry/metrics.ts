import type { TelemetrySettings } from "../../config/telemetry.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { addLevels, createInstruments, type Instruments, type Level } from "./instruments.ts";
import type { MeterOptions, OpenMeter } from "./meter.ts";
import { createProcessLevels } from "./process-levels.ts";
import { createMetricLabels, type MetricLabels, type MetricUpdate } from "./run-metrics.ts";
import { createLoadFailure, type ReportFailure } from "./send-failures.ts";

/**
 * Records the metrics of the process. It loads no package before somebody reads them or they are sent, and records nothing where
 * neither can happen.
 */
export interface Metrics {
  /** Is true once updates are recorded. */
  readonly isWanted: boolean;
  readonly labels: MetricLabels;
  /** Records from now on, for somebody who may ask for them later. */
  keep(): void;
  record(update: MetricUpdate): void;
  /** Adds values that are read when somebody asks for the metrics. */
  addLevels(levels: readonly Level[]): void;
  /** Returns the metrics in Prometheus' text format. Rejects where the packages cannot be loaded. */
  readText(): Promise<string>;
  /** Sends what is left. May reject, and may take as long as the collector. */
  close(): Promise<void>;
}

/** Updates wait until there are this many, or until the first request for the metrics. */
const mostWaiting = 2000;

/** `report` receives why metrics cannot be sent. */
export function createMetrics(
  settings: TelemetrySettings,
  resource: MeterOptions["resource"],
  report: ReportFailure,
): Metrics {
  const { address } = settings.signals.metrics;
  const labels = createMetricLabels();
  const levels: Level[] = [];
  let waiting: MetricUpdate[] = [];
  let opened: LoadedMeter | undefined;
  let loading: Promise<LoadedMeter> | undefined;
  let own: ReturnType<typeof createProcessLevels> | undefined;
  let isWanted = address !== undefined;
  let isClosed = false;
  let hasFailed = false;

  function load(): Promise<LoadedMeter> {
    loading ??= open().catch((thrown: unknown) => {
      loading = undefined;
      waiting = [];
      hasFailed = true;
      if (address !== undefined) report(createLoadFailure("metrics", address, thrown));
      throw thrown;
    });
    return loading;
  }

  async function open(): Promise<LoadedMeter> {
    const { openMeter } = await import("./meter.ts");
    const meter = openMeter({ resource, address, intervalMs: settings.metricIntervalMs, report });
    own ??= createProcessLevels();
    addLevels(meter.meter, [...own.levels, ...levels]);
    const made = { ...meter, instruments: createInstruments(meter.meter) };
    opened = made;
    for (const update of waiting) update(made.instruments);
    waiting = [];
    return made;
  }

  return {
    labels,
    get isWanted() {
      return isWanted && !isClosed;
    },
    keep() {
      isWanted = true;
      // The first reading tells of the time until then.
      own ??= createProcessLevels();
    },
    record(update) {
      if (!isWanted || isClosed) return;
      if (opened === undefined) waiting.push(update);
      else update(opened.instruments);
      if (hasFailed && waiting.length >= mostWaiting) waiting = [];
      else if (opened === undefined && (address !== undefined || waiting.length >= mostWaiting))
        void ignoreRejection(load(), "the next request for the metrics tries again and reports the failure");
    },
    addLevels(more) {
      if (opened === undefined) levels.push(...more);
      else addLevels(opened.meter, more);
    },
    async readText() {
      return (await load()).readText();
    },
    async close() {
      isClosed = true;
      const open = await loading;
      own?.stop();
      await open?.close();
    },
  };
}

interface LoadedMeter extends OpenMeter {
  instruments: Instruments;
}

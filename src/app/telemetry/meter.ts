import type { Meter } from "@opentelemetry/api";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import { PrometheusSerializer } from "@opentelemetry/exporter-prometheus";
import { defaultResource, resourceFromAttributes } from "@opentelemetry/resources";
import {
  MeterProvider,
  type MetricData,
  MetricReader,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
  type ResourceMetrics,
} from "@opentelemetry/sdk-metrics";
import type { SignalAddress } from "../../config/telemetry.ts";
import { version } from "../../kit/version.ts";
import { createSendFailure, type ReportFailure } from "./send-failures.ts";

/** Holds the meter of the process, with its readers. */
export interface OpenMeter {
  readonly meter: Meter;
  /** Returns all metrics in Prometheus' text format. */
  readText(): Promise<string>;
  /** Sends what is left. May reject, and may take as long as the collector. */
  close(): Promise<void>;
}

export interface MeterOptions {
  resource: Record<string, string>;
  /** Is where metrics are sent; they are only read when it is absent. */
  address: SignalAddress | undefined;
  intervalMs: number;
  report: ReportFailure;
}

export function openMeter({ resource, address, intervalMs, report }: MeterOptions): OpenMeter {
  const reader = new OnDemandReader();
  const readers: MetricReader[] = [reader];
  if (address !== undefined) {
    const sender = new OTLPMetricExporter({ url: address.url, headers: address.headers });
    // The SDK wants a limit that is no longer than the interval.
    const exportTimeoutMillis = Math.min(longestSendingMs, intervalMs);
    const exporter = reportFailures(sender, address, report);
    readers.push(
      new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: intervalMs, exportTimeoutMillis }),
    );
  }
  const provider = new MeterProvider({
    resource: defaultResource().merge(resourceFromAttributes({ "service.version": version, ...resource })),
    readers,
  });
  const serializer = new PrometheusSerializer("", false, undefined, true, true);
  return {
    meter: provider.getMeter("duet", version),
    async readText() {
      const { resourceMetrics } = await reader.collect();
      return serializer.serialize(toPrometheusNames(resourceMetrics));
    },
    close: () => provider.shutdown(),
  };
}

/** Limits one sending, in milliseconds. */
const longestSendingMs = 10_000;

/** Reads metrics when it is asked to. */
class OnDemandReader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

/** Reports metrics that could not be sent, because the package itself does not. */
function reportFailures(sender: OTLPMetricExporter, address: SignalAddress, report: ReportFailure): PushMetricExporter {
  return {
    export(metrics, done) {
      sender.export(metrics, (result) => {
        if (result.code !== 0) report(createSendFailure("metrics", address, result.error?.message ?? ""));
        done(result);
      });
    },
    forceFlush: () => sender.forceFlush(),
    shutdown: () => sender.shutdown(),
    selectAggregationTemporality: (type) => sender.selectAggregationTemporality(type),
  };
}

/** Adds units to the names as Prometheus wants them, which the package does not (https://prometheus.io/docs/practices/naming/). */
function toPrometheusNames({ resource, scopeMetrics }: ResourceMetrics): ResourceMetrics {
  return {
    resource,
    scopeMetrics: scopeMetrics.map(({ scope, metrics }) => ({ scope, metrics: metrics.map(toPrometheusName) })),
  };
}

const unitNames: Readonly<Record<string, string>> = { s: "seconds", By: "bytes" };

function toPrometheusName(metric: MetricData): MetricData {
  const { name, unit } = metric.descriptor;
  const suffix = unitNames[unit];
  return {
    ...metric,
    descriptor: { ...metric.descriptor, name: suffix === undefined ? name : `${name}_${suffix}`, unit: "" },
  };
}

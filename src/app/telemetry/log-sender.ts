import { ROOT_CONTEXT, TraceFlags, trace } from "@opentelemetry/api";
import { OTLPLogExporter } from "@opentelemetry/exporter-logs-otlp-http";
import { defaultResource, resourceFromAttributes } from "@opentelemetry/resources";
import { BatchLogRecordProcessor, LoggerProvider, type LogRecordExporter } from "@opentelemetry/sdk-logs";
import type { SignalAddress } from "../../config/telemetry.ts";
import { version } from "../../kit/version.ts";
import { createSendFailure, type ReportFailure } from "./send-failures.ts";
import type { SpanIds } from "./span-ids.ts";

/** Is one entry of the operator's log. Secrets are no longer in it. */
export interface LogEntry {
  level: "debug" | "info" | "warn" | "error";
  message: string;
  fields: Readonly<Record<string, string | number | boolean | null | undefined>>;
  /** Is in milliseconds since 1970. */
  at: number;
}

/** Sends entries of the log over OTLP/HTTP, in the background and in batches. */
export interface LogSender {
  /** `span` is the one of the run that the entry is about. */
  send(entry: LogEntry, span: SpanIds | undefined): void;
  /** Sends what is left. May reject, and may take as long as the collector. */
  close(): Promise<void>;
}

/** Maps our levels to the numbers of the data model (https://opentelemetry.io/docs/specs/otel/logs/data-model/). */
const severities = { debug: 5, info: 9, warn: 13, error: 17 } as const;

export function openLogSender(
  address: SignalAddress,
  resource: Record<string, string>,
  report: ReportFailure,
): LogSender {
  const sender = new OTLPLogExporter({ url: address.url, headers: address.headers });
  const provider = new LoggerProvider({
    resource: defaultResource().merge(resourceFromAttributes({ "service.version": version, ...resource })),
    processors: [new BatchLogRecordProcessor({ exporter: reportFailures(sender, address, report) })],
  });
  const logger = provider.getLogger("duet", version);
  return {
    send({ level, message, fields, at }, span) {
      const context = span && trace.setSpanContext(ROOT_CONTEXT, { ...span, traceFlags: TraceFlags.SAMPLED });
      logger.emit({
        timestamp: at,
        severityNumber: severities[level],
        severityText: level.toUpperCase(),
        body: message,
        attributes: { ...fields },
        context: context ?? ROOT_CONTEXT,
      });
    },
    close: () => provider.shutdown(),
  };
}

/** Reports entries that could not be sent, because the package itself does not. */
function reportFailures(sender: OTLPLogExporter, address: SignalAddress, report: ReportFailure): LogRecordExporter {
  return {
    export(records, done) {
      sender.export(records, (result) => {
        if (result.code !== 0) report(createSendFailure("logs", address, result.error?.message ?? ""));
        done(result);
      });
    },
    forceFlush: () => sender.forceFlush(),
    shutdown: () => sender.shutdown(),
  };
}

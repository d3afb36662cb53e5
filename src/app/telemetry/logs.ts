import type { TelemetrySettings } from "../../config/telemetry.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import type { LogEntry, LogSender } from "./log-sender.ts";
import { createLoadFailure, type ReportFailure } from "./send-failures.ts";
import type { SpanIds } from "./span-ids.ts";

/** Sends the log of the process over OTLP. It loads no package unless somebody wants that. */
export interface Logs {
  /** Is true when entries are sent. */
  readonly isWanted: boolean;
  send(entry: LogEntry): void;
  /** Sends what is left. May reject, and may take as long as the collector. */
  close(): Promise<void>;
}

/** Limits the entries that wait for the packages. */
const mostWaiting = 1_000;

/** `findSpan` returns the span of a run that is still known, by the trace that the entry names. */
export function createLogs(
  { signals }: TelemetrySettings,
  resource: Record<string, string>,
  { report, findSpan }: { report: ReportFailure; findSpan(traceId: string): SpanIds | undefined },
): Logs {
  const { address } = signals.logs;
  let waiting: { entry: LogEntry; span: SpanIds | undefined }[] = [];
  let loading: Promise<LogSender> | undefined;
  let sender: LogSender | undefined;
  let isOff = address === undefined;

  async function open(): Promise<LogSender> {
    if (address === undefined) throw new Error("no address for logs");
    try {
      const { openLogSender } = await import("./log-sender.ts");
      const opened = openLogSender(address, resource, report);
      for (const { entry, span } of waiting) opened.send(entry, span);
      sender = opened;
      return opened;
    } catch (thrown) {
      isOff = true;
      report(createLoadFailure("logs", address, thrown));
      throw thrown;
    } finally {
      waiting = [];
    }
  }

  return {
    get isWanted() {
      return !isOff;
    },
    send(entry) {
      if (isOff) return;
      const { trace_id: traceId } = entry.fields;
      const span = typeof traceId === "string" ? findSpan(traceId) : undefined;
      if (sender !== undefined) return sender.send(entry, span);
      if (waiting.length < mostWaiting) waiting.push({ entry, span });
      loading ??= open();
      void ignoreRejection(loading, "the failure has been told");
    },
    async close() {
      const opened = await ignoreRejection(loading, "there is nothing to close, and the failure has been told");
      isOff = true;
      await opened?.close();
    },
  };
}

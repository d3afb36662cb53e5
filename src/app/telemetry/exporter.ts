import type { SpanExporter } from "@opentelemetry/sdk-trace";
import type { SignalAddress } from "../../config/telemetry.ts";
import { version } from "../../kit/version.ts";
import { createRunSpans, type RunSpans, type SpanOptions } from "./run-spans.ts";
import { createLoadFailure, createSendFailure, type ReportFailure } from "./send-failures.ts";
import { createSpanId, type SpanIds } from "./span-ids.ts";

/** Sends spans over OTLP/HTTP, in the background and in batches. */
export interface Exporter {
  /** Records the spans of a run whose trace, and whose own span in it, have IDs that were chosen before. */
  follow(run: Omit<SpanOptions, "api" | "tracer" | "parent">, ids: SpanIds): RunSpans;
  /** Sends what is left. May reject, and may take as long as the collector. */
  close(): Promise<void>;
}

/** Loads the packages. Gives undefined, and tells why, when that fails. */
export async function openExporter(
  address: SignalAddress,
  resource: Record<string, string>,
  report: ReportFailure,
): Promise<Exporter | undefined> {
  try {
    const [api, sdk, sender, { defaultResource, resourceFromAttributes }] = await Promise.all([
      import("@opentelemetry/api"),
      import("@opentelemetry/sdk-trace"),
      openSender(address),
      import("@opentelemetry/resources"),
    ]);
    const processor = new sdk.BatchSpanProcessor({ exporter: reportFailures(sender, address, report) });
    const common = {
      resource: defaultResource().merge(resourceFromAttributes({ "service.version": version, ...resource })),
      spanProcessors: [processor],
    };
    return {
      follow(run, { traceId, spanId }) {
        const next = [spanId];
        const takeSpanId = (): string => next.pop() ?? createSpanId();
        const idGenerator = { generateTraceId: () => traceId, generateSpanId: takeSpanId };
        const tracer = new sdk.TracerProvider({ ...common, idGenerator }).getTracer("duet", version);
        return createRunSpans({ ...run, api, tracer, parent: api.ROOT_CONTEXT });
      },
      close: () => processor.shutdown(),
    };
  } catch (thrown) {
    report(createLoadFailure("traces", address, thrown));
    return undefined;
  }
}

async function openSender({ url, headers, isProtobuf }: SignalAddress): Promise<SpanExporter> {
  if (isProtobuf) return (await import("./protobuf-sender.ts")).openProtobufSender(url, headers);
  const { OTLPTraceExporter } = await import("@opentelemetry/exporter-trace-otlp-http");
  return new OTLPTraceExporter({ url, headers });
}

/** Reports spans that could not be sent, because the package itself does not. */
function reportFailures(sender: SpanExporter, address: SignalAddress, report: ReportFailure): SpanExporter {
  return {
    export(spans, done) {
      sender.export(spans, (result) => {
        if (result.code !== 0) report(createSendFailure("traces", address, result.error?.message ?? ""));
        done(result);
      });
    },
    forceFlush: () => sender.forceFlush?.() ?? Promise.resolve(),
    shutdown: () => sender.shutdown(),
  };
}

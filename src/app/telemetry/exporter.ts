import { randomBytes } from "node:crypto";
import type { SpanExporter } from "@opentelemetry/sdk-trace";
import type { SpanAddress, TelemetrySettings } from "../../config/telemetry.ts";
import { getMessage } from "../../kit/errors.ts";
import type { Text } from "../../kit/locale.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import { version } from "../../kit/version.ts";
import { createRunSpans, type RunSpans, type SpanOptions } from "./run-spans.ts";

/** Sends spans over OTLP/HTTP, in the background and in batches. */
export interface Exporter {
  /** Records the spans of a run whose trace ID was chosen before. */
  follow(run: Omit<SpanOptions, "api" | "tracer" | "parent">, traceId: string): RunSpans;
  /** Sends what is left. May reject, and may take as long as the collector. */
  close(): Promise<void>;
}

/** Is called once with the reason why spans do not arrive. */
export type Warn = (text: Text) => void;

/** Loads the packages. Gives undefined, and tells why, when that fails. */
export async function openExporter(
  address: SpanAddress,
  { resource }: Pick<TelemetrySettings, "resource">,
  warn: Warn,
): Promise<Exporter | undefined> {
  try {
    const [api, sdk, { OTLPTraceExporter }, { defaultResource, resourceFromAttributes }] = await Promise.all([
      import("@opentelemetry/api"),
      import("@opentelemetry/sdk-trace"),
      import("@opentelemetry/exporter-trace-otlp-http"),
      import("@opentelemetry/resources"),
    ]);
    const sender = new OTLPTraceExporter({ url: address.url, headers: address.headers });
    const processor = new sdk.BatchSpanProcessor({ exporter: reportFailures(sender, address, warn) });
    const common = {
      resource: defaultResource().merge(resourceFromAttributes({ "service.version": version, ...resource })),
      spanProcessors: [processor],
    };
    return {
      follow(run, traceId) {
        const idGenerator = { generateTraceId: () => traceId, generateSpanId: () => randomBytes(8).toString("hex") };
        const tracer = new sdk.TracerProvider({ ...common, idGenerator }).getTracer("duet", version);
        return createRunSpans({ ...run, api, tracer, parent: api.ROOT_CONTEXT });
      },
      close: () => processor.shutdown(),
    };
  } catch (thrown) {
    warn(isMissing(thrown) ? describeMissingPackage(address.variable) : describeLoadFailure(getMessage(thrown)));
    return undefined;
  }
}

/** Reports spans that could not be sent, because the package itself does not. */
function reportFailures(sender: SpanExporter, { shownUrl }: SpanAddress, warn: Warn): SpanExporter {
  return {
    export(spans, done) {
      sender.export(spans, (result) => {
        if (result.code !== 0) warn(describeSendFailure(shownUrl, result.error?.message ?? ""));
        done(result);
      });
    },
    forceFlush: () => sender.forceFlush?.() ?? Promise.resolve(),
    shutdown: () => sender.shutdown(),
  };
}

function isMissing(thrown: unknown): boolean {
  return thrown instanceof Error && "code" in thrown && thrown.code === "ERR_MODULE_NOT_FOUND";
}

/** Is the one package of them that is not part of the bundle, and may be missing where only its files were copied. */
const install = "npm install @opentelemetry/api@1";

function describeMissingPackage(variable: string): Text {
  return {
    zh: `已设置 ${variable}，但缺少发送追踪所需的包，不发送追踪。请在 duet-mcp 旁安装：${install}`,
    en: `${variable} is set, but a package that sends spans is missing; no spans are sent. Install it next to duet-mcp: ${install}`,
  };
}

function describeLoadFailure(reason: string): Text {
  const why = sanitizeLine(reason);
  return { zh: `发送追踪的包无法加载：${why}`, en: `the packages that send spans could not be loaded: ${why}` };
}

function describeSendFailure(url: string, reason: string): Text {
  const why = sanitizeLine(reason);
  return { zh: `追踪未能发送到 ${url}：${why}`, en: `spans could not be sent to ${url}: ${why}` };
}

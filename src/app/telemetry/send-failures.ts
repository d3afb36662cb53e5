import type { Signal, SignalAddress } from "../../config/telemetry.ts";
import { getMessage } from "../../kit/errors.ts";
import type { Text } from "../../kit/locale.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";

/** Says why something does not arrive. */
export interface SendFailure {
  signal: Signal;
  /** Is the same for failures of which one line is enough, whichever signal meets them first. */
  key: string;
  text: Text;
}

export type ReportFailure = (failure: SendFailure) => void;

/** Names what is sent, with the variable that switches it off. */
const signals: Readonly<Record<Signal, Text & { off: string }>> = {
  traces: { zh: "追踪", en: "spans", off: "OTEL_TRACES_EXPORTER=none" },
  metrics: { zh: "指标", en: "metrics", off: "OTEL_METRICS_EXPORTER=none" },
  logs: { zh: "日志", en: "logs", off: "OTEL_LOGS_EXPORTER=none" },
};

export function createSendFailure(signal: Signal, { variable, shownUrl }: SignalAddress, reason: string): SendFailure {
  const { zh, en, off } = signals[signal];
  const why = sanitizeLine(reason);
  // Collectors that take only spans refuse the rest at the shared address.
  const ofSpans = why === "Unsupported Media Type" ? otherForm : { zh: "", en: "" };
  const hint = signal === "traces" ? ofSpans : { zh: `（${off} 可关闭）`, en: ` (${off} turns them off)` };
  const text = {
    zh: `${zh}未能发送到 ${shownUrl}：${why}${hint.zh}`,
    en: `${en} could not be sent to ${shownUrl}: ${why}${hint.en}`,
  };
  return { signal, key: `${variable} ${why}`, text };
}

/** Is said where a collector does not take JSON. */
const otherForm: Text = {
  zh: "（请设置 OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf）",
  en: " (set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf)",
};

export function createSlowFailure(signal: Signal, { variable, shownUrl }: SignalAddress, limitMs: number): SendFailure {
  const { zh, en } = signals[signal];
  const seconds = limitMs / 1000;
  const text = {
    zh: `${zh}未能在 ${seconds} 秒内发送到 ${shownUrl}`,
    en: `${en} could not be sent to ${shownUrl} within ${seconds} s`,
  };
  return { signal, key: `${variable} slow`, text };
}

/** Says why the packages of a signal could not be loaded; `variable` is what asks for it. */
export function createLoadFailure(signal: Signal, { variable }: SignalAddress, thrown: unknown): SendFailure {
  const { zh, en } = signals[signal];
  const why = sanitizeLine(getMessage(thrown));
  const text = isMissing(thrown)
    ? {
        zh: `已设置 ${variable}，但缺少发送${zh}所需的包，不发送${zh}。请在 duet-mcp 旁安装：${install}`,
        en: `${variable} is set, but a package that sends ${en} is missing; no ${en} are sent. Install it next to duet-mcp: ${install}`,
      }
    : { zh: `发送${zh}的包无法加载：${why}`, en: `the packages that send ${en} could not be loaded: ${why}` };
  return { signal, key: `${variable} load`, text };
}

/** Is the one package of them that is not part of the bundle, and may be missing where only its files were copied. */
const install = "npm install @opentelemetry/api@1";

function isMissing(thrown: unknown): boolean {
  return thrown instanceof Error && "code" in thrown && thrown.code === "ERR_MODULE_NOT_FOUND";
}

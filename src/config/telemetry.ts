import type { Text } from "../kit/locale.ts";
import { sanitizeLine } from "../kit/text/sanitize.ts";
import { maskAddress } from "./secrets/mask.ts";
import type { Environment } from "./sources/expand-variables.ts";

/** Holds the settings from OpenTelemetry's own variables (https://opentelemetry.io/docs/specs/otel/protocol/exporter/). */
export interface TelemetrySettings {
  /** Holds where each signal is sent. Spans without an address go only to what a program embedding Duet has set up. */
  signals: Readonly<Record<Signal, SignalSettings>>;
  /** Holds the resource attributes of this process: `service.name` and those of OTEL_RESOURCE_ATTRIBUTES. */
  resource: Record<string, string>;
  /** Includes questions, answers, arguments and results in the spans. */
  captureContent: boolean;
  /** Is the time between two sendings of metrics, in milliseconds. */
  metricIntervalMs: number;
}

/** Is what OpenTelemetry calls a kind of telemetry. */
export type Signal = (typeof signalNames)[number];

/** Lists them in the order in which failures are told. */
export const signalNames = ["traces", "metrics", "logs"] as const;

export interface SignalSettings {
  address?: SignalAddress;
  /** Says why the variables that ask for the signal have no effect, with the variable at fault. */
  problem?: { variable: string; text: Text };
}

export interface SignalAddress {
  /** Names the variable that sets the address. */
  variable: string;
  url: string;
  /** Holds the URL without possible credentials. */
  shownUrl: string;
  headers: Record<string, string>;
  /** Says whether the protocol http/protobuf is asked for, which some collectors take alone. Spans alone are sent in it. */
  isProtobuf: boolean;
}

/** Never throws. Invalid telemetry settings are reported and must not stop the program. */
export function readTelemetry(environment: Environment): TelemetrySettings {
  return {
    signals: {
      traces: readSignal(environment, "traces"),
      metrics: readSignal(environment, "metrics"),
      logs: readSignal(environment, "logs"),
    },
    resource: {
      "service.name": "duet",
      ...parsePairs(environment.OTEL_RESOURCE_ATTRIBUTES),
      ...(environment.OTEL_SERVICE_NAME ? { "service.name": environment.OTEL_SERVICE_NAME } : {}),
    },
    captureContent: isTrue(environment.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT),
    metricIntervalMs: readInterval(environment.OTEL_METRIC_EXPORT_INTERVAL),
  };
}

/** Is OpenTelemetry's own default. */
const usualIntervalMs = 60_000;
/** A shorter time would send more often than anybody reads. */
const shortestIntervalMs = 1_000;

function readInterval(written: string | undefined): number {
  const ms = Number(written?.trim() || usualIntervalMs);
  return Number.isFinite(ms) && ms >= shortestIntervalMs ? Math.min(ms, 2 ** 31 - 1) : usualIntervalMs;
}

function readSignal(environment: Environment, signal: Signal): SignalSettings {
  if (isTrue(environment.OTEL_SDK_DISABLED) || environment[`OTEL_${signal.toUpperCase()}_EXPORTER`] === "none")
    return {};
  const ownVariable = `${toPrefix(signal)}_ENDPOINT`;
  const own = environment[ownVariable];
  const shared = environment.OTEL_EXPORTER_OTLP_ENDPOINT;
  const url = own || (shared && `${shared.replace(/\/$/, "")}/v1/${signal}`);
  if (!url) return {};
  const variable = own ? ownVariable : "OTEL_EXPORTER_OTLP_ENDPOINT";
  const unsent = unsentTexts[own ? signal : "everything"];
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    return { problem: { variable, text: describeBadAddress(variable, own || shared || "", unsent) } };
  const protocol = own ? findProtocol(environment, [signal]) : findProtocol(environment, [signal, ...signalNames]);
  if (protocol && environment[protocol] === "grpc")
    return { problem: { variable: protocol, text: describeGrpc(protocol, unsent) } };
  const headers = {
    ...parsePairs(environment.OTEL_EXPORTER_OTLP_HEADERS),
    ...parsePairs(environment[`${toPrefix(signal)}_HEADERS`]),
  };
  const isProtobuf = protocol !== undefined && environment[protocol] === "http/protobuf";
  return { address: { variable, url, shownUrl: sanitizeLine(maskAddress(url)), headers, isProtobuf } };
}

/**
 * Returns the variable that sets the protocol for these signals: a shared address speaks one protocol, for whichever signal it was
 * named.
 */
function findProtocol(environment: Environment, signals: readonly Signal[]): string | undefined {
  const names = [...signals.map((signal) => `${toPrefix(signal)}_PROTOCOL`), "OTEL_EXPORTER_OTLP_PROTOCOL"];
  return names.find((name) => environment[name]);
}

function toPrefix(signal: Signal): string {
  return `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}`;
}

/** Says that a signal, or all of them, is not sent. */
const unsentTexts: Readonly<Record<Signal | "everything", Text>> = {
  traces: { zh: "不发送追踪", en: "no spans are sent" },
  metrics: { zh: "不发送指标", en: "no metrics are sent" },
  logs: { zh: "不发送日志", en: "no logs are sent" },
  everything: { zh: "不发送追踪、指标和日志", en: "no spans, metrics or logs are sent" },
};

function describeBadAddress(name: string, value: string, unsent: Text): Text {
  const shown = sanitizeLine(maskAddress(`http://${value}`).slice("http://".length));
  return {
    zh: `${name}: ${shown} 不是 http(s) 地址；${unsent.zh}`,
    en: `${name}: ${shown} is not an http(s) address; ${unsent.en}`,
  };
}

function describeGrpc(variable: string, unsent: Text): Text {
  return {
    zh: `${variable}: 不支持 grpc（允许：http/json、http/protobuf）；${unsent.zh}`,
    en: `${variable}: grpc is not supported (allowed: http/json, http/protobuf); ${unsent.en}`,
  };
}

/** Parses `name=value,name=value` with URL-encoded values. Anything else is left out. */
function parsePairs(text: string | undefined): Record<string, string> {
  const entries = (text ?? "").split(",").flatMap((pair): [string, string][] => {
    const at = pair.indexOf("=");
    const name = pair.slice(0, Math.max(at, 0)).trim();
    return name === "" ? [] : [[name, decodeText(pair.slice(at + 1).trim())]];
  });
  return Object.fromEntries(entries);
}

function decodeText(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function isTrue(written: string | undefined): boolean {
  return written?.trim().toLowerCase() === "true";
}

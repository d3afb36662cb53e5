import type { Text } from "../kit/locale.ts";
import { sanitizeLine } from "../kit/text/sanitize.ts";
import { maskAddress } from "./secrets/mask.ts";
import type { Environment } from "./sources/expand-variables.ts";

/** Holds the settings from OpenTelemetry's own variables (https://opentelemetry.io/docs/specs/otel/protocol/exporter/). */
export interface TelemetrySettings {
  /** Spans are sent to this address. When absent, they go only to an exporter that a program embedding Duet has set up. */
  exporter?: SpanAddress;
  /** Says why the variables that ask for spans have no effect. */
  problem?: Text;
  /** Holds the resource attributes of this process: `service.name` and those of OTEL_RESOURCE_ATTRIBUTES. */
  resource: Record<string, string>;
  /** Includes questions, answers, arguments and results in the spans. */
  captureContent: boolean;
}

export interface SpanAddress {
  /** Names the variable that sets the address. */
  variable: string;
  url: string;
  /** Holds the URL without possible credentials. */
  shownUrl: string;
  headers: Record<string, string>;
}

/** Never throws. Invalid telemetry settings are reported and must not stop the program. */
export function readTelemetry(environment: Environment): TelemetrySettings {
  return {
    ...readAddress(environment),
    resource: {
      "service.name": "duet",
      ...parsePairs(environment.OTEL_RESOURCE_ATTRIBUTES),
      ...(environment.OTEL_SERVICE_NAME ? { "service.name": environment.OTEL_SERVICE_NAME } : {}),
    },
    captureContent: isTrue(environment.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT),
  };
}

function readAddress(environment: Environment): Pick<TelemetrySettings, "exporter" | "problem"> {
  if (isTrue(environment.OTEL_SDK_DISABLED) || environment.OTEL_TRACES_EXPORTER === "none") return {};
  const own = environment.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT;
  const shared = environment.OTEL_EXPORTER_OTLP_ENDPOINT;
  const url = own || (shared && `${shared.replace(/\/$/, "")}/v1/traces`);
  if (!url) return {};
  const variable = own ? "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT" : "OTEL_EXPORTER_OTLP_ENDPOINT";
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    return { problem: describeBadAddress(variable, own || shared || "") };
  const protocol = ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"].find(
    (name) => environment[name],
  );
  if (protocol && environment[protocol] === "grpc") return { problem: describeGrpc(protocol) };
  const headers = {
    ...parsePairs(environment.OTEL_EXPORTER_OTLP_HEADERS),
    ...parsePairs(environment.OTEL_EXPORTER_OTLP_TRACES_HEADERS),
  };
  return { exporter: { variable, url, shownUrl: sanitizeLine(maskAddress(url)), headers } };
}

function describeBadAddress(name: string, value: string): Text {
  const shown = sanitizeLine(maskAddress(`http://${value}`).slice("http://".length));
  return {
    zh: `${name}: ${shown} 不是 http(s) 地址；不发送追踪`,
    en: `${name}: ${shown} is not an http(s) address; no spans are sent`,
  };
}

function describeGrpc(variable: string): Text {
  return {
    zh: `${variable}: 不支持 grpc（允许：http/json、http/protobuf，均以 JSON 发送）；不发送追踪`,
    en: `${variable}: grpc is not supported (http/json, http/protobuf, both sent as JSON); no spans are sent`,
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

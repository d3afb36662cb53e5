import { convertLegacyHttpOptions, createOtlpHttpExportDelegate } from "@opentelemetry/otlp-exporter-base/node-http";
import { ProtobufTraceSerializer, TraceExporterMetricsHelper } from "@opentelemetry/otlp-transformer";
import type { SpanExporter } from "@opentelemetry/sdk-trace";

/** Sends spans as Protobuf: Phoenix takes nothing else. The parts are those of the package that sends them as JSON. */
export function openProtobufSender(url: string, headers: Record<string, string>): SpanExporter {
  const options = convertLegacyHttpOptions({ url, headers }, "TRACES", "v1/traces", {
    "Content-Type": "application/x-protobuf",
  });
  return createOtlpHttpExportDelegate(
    options,
    ProtobufTraceSerializer,
    "otlp_http_span_exporter",
    TraceExporterMetricsHelper,
    undefined,
  );
}

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { configError } from "../../config/config-errors.ts";
import { getMessage } from "../../kit/errors.ts";
import { isRecord, type JsonObject, type JsonValue, tryParseJson } from "../../kit/json.ts";
import { toSortedJson } from "./plain-request.ts";
import {
  type CallExchange,
  type RecordedAttempt,
  type RecordedModels,
  type RecordedTool,
  type RecordingLine,
  recordingFormat,
  recordingLineSchema,
  recordingVersion,
} from "./recording-schema.ts";

/** Holds a recording that was read. */
export interface Recording {
  /** Is when it was begun (ISO 8601, UTC). */
  madeAt: string;
  tools: readonly RecordedTool[];
  /** Maps the names of pairs to their models. */
  models: ReadonlyMap<string, RecordedModels>;
  /** Maps the names of attempts to what was asked and answered in them, the last one where one was made again. */
  attempts: ReadonlyMap<string, RecordedAttempt>;
  /** Lists the calls that answer every attempt. */
  calls: readonly Omit<CallExchange, "kind">[];
}

/**
 * Reads a recording. A last line that was not written to its end is ignored: its attempt was not finished. Throws a `config` error that
 * names the line for anything else that is no recording.
 */
export async function readRecording(file: string): Promise<Recording> {
  const shown = basename(file);
  const text = await readFile(file, "utf8").catch((thrown: unknown) => {
    const why = getMessage(thrown);
    throw configError(file, { zh: `无法读取：${why}`, en: `cannot be read: ${why}` }, thrown);
  });
  const lines = text.split("\n");
  // Behind the last line feed is nothing, or a line that was cut off.
  const parsed = lines
    .slice(0, -1)
    .flatMap((line, index) => (line.trim() === "" ? [] : [readLine(line, shown, index)]));
  return collect(parsed, shown);
}

function readLine(line: string, shown: string, index: number): RecordingLine {
  const parsed = tryParseJson(line);
  const read = recordingLineSchema.safeParse(parsed);
  if (read.success) return read.data;
  if (isRecord(parsed) && parsed.format === recordingFormat && parsed.version !== recordingVersion) {
    const version = JSON.stringify(parsed.version);
    throw configError(`${shown}:${index + 1}`, {
      zh: `录制的版本是 ${version}（允许：${recordingVersion}）`,
      en: `is a recording of version ${version} (allowed: ${recordingVersion})`,
    });
  }
  throw configError(`${shown}:${index + 1}`, {
    zh: `不是录制文件的行（允许：duet eval --record 写出的内容）`,
    en: "is no line of a recording (allowed: what duet eval --record writes)",
  });
}

function collect(lines: readonly RecordingLine[], shown: string): Recording {
  const [head] = lines;
  if (head === undefined || !("format" in head))
    throw configError(`${shown}:1`, {
      zh: `缺少 {"format": "${recordingFormat}", "version": ${recordingVersion}, "made_at": …}`,
      en: `must be {"format": "${recordingFormat}", "version": ${recordingVersion}, "made_at": …}`,
    });
  const definitions = new Map(
    lines.flatMap((line) => ("definition" in line ? [[line.definition.id, line.definition.value]] : [])),
  );
  const attempts = lines.flatMap((line) => ("attempt" in line ? [unpackAttempt(line.attempt, definitions)] : []));
  return {
    madeAt: head.made_at,
    tools: [...new Map(lines.flatMap((line) => ("tool" in line ? [[line.tool.name, line.tool]] : []))).values()],
    models: new Map(lines.flatMap((line) => ("models" in line ? [[line.models.pair, line.models]] : []))),
    attempts: new Map(attempts.map((attempt) => [attempt.name, attempt])),
    calls: lines.flatMap((line) => ("call" in line ? [line.call] : [])),
  };
}

/** Replaces the tools of a request by the IDs of their definitions. New ones are passed to `define`. */
export function packTools(request: JsonObject, define: (id: string, value: JsonObject) => void): JsonObject {
  const tools = Array.isArray(request.tools) ? request.tools : [];
  const ids = tools.map((tool): JsonValue => {
    if (!isJsonObject(tool)) return tool;
    const id = createHash("sha256").update(toSortedJson(tool)).digest("hex").slice(0, 16);
    define(id, tool);
    return id;
  });
  return { ...request, tools: ids };
}

function unpackAttempt(attempt: RecordedAttempt, definitions: ReadonlyMap<string, JsonObject>): RecordedAttempt {
  const exchanges = attempt.exchanges.map((exchange) => {
    if (exchange.kind !== "model") return exchange;
    const ids = Array.isArray(exchange.request.tools) ? exchange.request.tools : [];
    const tools = ids.map((id): JsonValue => (typeof id === "string" ? (definitions.get(id) ?? id) : id));
    return { ...exchange, request: { ...exchange.request, tools } };
  });
  return { ...attempt, exchanges };
}

function isJsonObject(value: JsonValue): value is JsonObject {
  return isRecord(value);
}

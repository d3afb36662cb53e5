import { resolve } from "node:path";
import { configError, unwritableFileError } from "../config/config-errors.ts";
import { findConfigFiles, findTrustedFiles, getFallbackLocale, loadConfig } from "../config/load-config.ts";
import { createOverview, type Overview } from "../config/overview.ts";
import { createFileJsonSchema } from "../config/schema/file-schema.ts";
import type { Flags } from "../config/settings/settings.ts";
import type { SkippedFile } from "../config/sources/choose-files.ts";
import { describeSkippedFiles } from "../config/sources/choose-files.ts";
import type { Environment } from "../config/sources/expand-variables.ts";
import { fileName } from "../config/sources/find-file.ts";
import { getValue, renderPath } from "../config/sources/setting-path.ts";
import { listLeaves, type Origin } from "../config/sources/source.ts";
import { writeStarterFile } from "../config/starter-file.ts";
import { trustFiles } from "../config/trust/trusted-files.ts";
import { ignoreRejection } from "../kit/async/ignore-rejection.ts";
import { isRecord } from "../kit/json.ts";
import { type Locale, say } from "../kit/locale.ts";
import { sanitizeLine, toSafeJson } from "../kit/text/sanitize.ts";
import { countCells, padCells } from "./terminal/text/width.ts";

export interface ConfigCommand {
  flags: Flags;
  output: "text" | "json";
  /** Takes whole lines, for stdout. */
  write(text: string): void;
  /** Takes a line beside the output: that a file was left out, and why. */
  note?(line: string): void;
  /** Is the process's own environment when absent. */
  environment?: Environment;
  directory?: string;
}

/**
 * Runs `duet config`. Throws a `config` error of one line when the configuration is invalid or the starter file cannot be
 * written.
 */
export async function runConfigCommand(
  action: "show" | "path" | "schema" | "init",
  command: ConfigCommand,
): Promise<void> {
  await actions[action](command);
}

const actions = { show, path: showPath, schema: showSchema, init: writeStarter };

async function show({ flags, environment, directory, output, write, note }: ConfigCommand): Promise<void> {
  const config = await loadConfig(flags, environment, directory);
  const { addKnownModels } = await import("../app/models/used-models.ts");
  const view = createOverview(await addKnownModels(config));
  const { locale, leftOut } = config;
  reportSkippedFiles(leftOut, locale, note);
  if (output === "json") return write(toJsonText({ ...view, ...toLeftOutField(leftOut) }));
  const origin = say(locale, { zh: "来源", en: "origin" });
  const header = [say(locale, { zh: "键", en: "key" }), say(locale, { zh: "值", en: "value" }), origin];
  write(toTable([header, ...createRows(view, locale)]));
}

async function showPath({ flags, environment, directory, output, write, note }: ConfigCommand): Promise<void> {
  const { file, searched, leftOut } = await findConfigFiles(flags, environment, directory);
  reportSkippedFiles(leftOut, getFallbackLocale(flags, environment), note);
  if (output === "json") return write(toJsonText({ file: file ?? null, searched, ...toLeftOutField(leftOut) }));
  if (file !== undefined) return write(`${file}\n`);
  const none = say(getFallbackLocale(flags, environment), {
    zh: "没有配置文件。查找的位置：",
    en: "There is no configuration file. Duet looks for one here:",
  });
  write(`${[none, ...searched].join("\n")}\n`);
}

async function showSchema({ write }: ConfigCommand): Promise<void> {
  write(toJsonText(createFileJsonSchema()));
}

async function writeStarter({ flags, environment, directory, output, write }: ConfigCommand): Promise<void> {
  const file = resolve(directory ?? "", flags.config ?? fileName);
  const locale = getFallbackLocale(flags, environment);
  let text: string;
  try {
    text = await writeStarterFile(file, locale);
  } catch (thrown) {
    if (isRecord(thrown) && thrown.code === "EEXIST") throw configError(file, exists, thrown);
    throw unwritableFileError(file, thrown);
  }
  // What Duet wrote is nobody else's. Where that cannot be remembered, the next command says what to do.
  await ignoreRejection(
    trustFiles([{ file, text }], findTrustedFiles(flags, environment, directory).home),
    "the next command says what to do",
  );
  if (output === "json") return write(toJsonText({ file }));
  write(`${say(locale, { zh: `已写入 ${file}`, en: `Wrote ${file}` })}\n`);
}

function reportSkippedFiles(leftOut: readonly SkippedFile[], locale: Locale, note: ConfigCommand["note"]): void {
  const line = describeSkippedFiles(leftOut);
  if (line) note?.(say(locale, line));
}

/** Omits the key when no file was skipped. */
function toLeftOutField(leftOut: readonly SkippedFile[]): { left_out?: { file: string; servers: number | null }[] } {
  if (leftOut.length === 0) return {};
  return { left_out: leftOut.map(({ file, servers }) => ({ file, servers: servers ?? null })) };
}

const exists = { zh: "文件已存在，不会覆盖", en: "already exists and is not overwritten" };

function createRows({ values, origins }: Overview, locale: Locale): string[][] {
  return listLeaves(values).flatMap((path) => {
    const value = getValue(values, path);
    if (isRecord(value)) return [];
    const shown = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
    const origin = origins[renderPath(path)] ?? { from: "default" };
    return [[renderPath(path), sanitizeLine(shown), sanitizeLine(toOriginText(origin, locale))]];
  });
}

export function toOriginText(origin: Origin, locale: Locale): string {
  if (origin.from === "default") return say(locale, { zh: "默认", en: "default" });
  return origin.from === "environment" && origin.file !== undefined ? `${origin.name} (${origin.file})` : origin.name;
}

/** Formats columns as wide as their longest cell, up to 60 terminal columns; a longer cell shifts only its own row. */
export function toTable(lines: string[][]): string {
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.min(60, Math.max(...lines.map((line) => countCells(line[column] ?? "")))),
  );
  const padded = lines.map((line) => line.map((cell, column) => padCells(cell, widths[column] ?? 0)));
  return padded.map((line) => `${line.join("  ").trimEnd()}\n`).join("");
}

export function toJsonText(value: unknown): string {
  return `${toSafeJson(value, 2)}\n`;
}

import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Environment } from "../config/expand.ts";
import { fileName } from "../config/find.ts";
import { leaves } from "../config/merge.ts";
import { type Overview, overview } from "../config/overview.ts";
import { pathText, valueAt } from "../config/path.ts";
import { problem } from "../config/problem.ts";
import { fileJsonSchema } from "../config/schema.ts";
import type { Origin } from "../config/source.ts";
import { starterFile } from "../config/starter.ts";
import { configPlaces, type Flags, fallbackLocale, loadConfig } from "../config.ts";
import { isRecord } from "../core/json.ts";
import { type Locale, say } from "../core/locale.ts";
import { printableJson, printableLine } from "../core/printable.ts";

export interface ConfigCommand {
  flags: Flags;
  output: "text" | "json";
  /** Takes whole lines, for stdout. */
  write(text: string): void;
  /** The process's own when absent. */
  environment?: Environment;
  directory?: string;
}

/** `duet config`: throws a `config` error of one line where the configuration is wrong or the starter file cannot be written. */
export async function runConfigCommand(
  action: "show" | "path" | "schema" | "init",
  command: ConfigCommand,
): Promise<void> {
  await actions[action](command);
}

const actions = { show, path: showPath, schema: showSchema, init: writeStarter };

async function show({ flags, environment, directory, output, write }: ConfigCommand): Promise<void> {
  const config = await loadConfig(flags, environment, directory);
  const view = overview(config);
  if (output === "json") return write(asJson(view));
  const { locale } = config;
  const origin = say(locale, { zh: "来源", en: "origin" });
  const header = [say(locale, { zh: "键", en: "key" }), say(locale, { zh: "值", en: "value" }), origin];
  write(table([header, ...rows(view, locale)]));
}

async function showPath({ flags, environment, directory, output, write }: ConfigCommand): Promise<void> {
  const { file, searched } = await configPlaces(flags, environment, directory);
  if (output === "json") return write(asJson({ file: file ?? null, searched }));
  if (file !== undefined) return write(`${file}\n`);
  const none = say(fallbackLocale(flags, environment), {
    zh: "没有配置文件。查找的位置：",
    en: "There is no configuration file. It would be looked for here:",
  });
  write(`${[none, ...searched].join("\n")}\n`);
}

async function showSchema({ write }: ConfigCommand): Promise<void> {
  write(asJson(fileJsonSchema()));
}

async function writeStarter({ flags, environment, directory, output, write }: ConfigCommand): Promise<void> {
  const file = resolve(directory ?? "", flags.config ?? fileName);
  const locale = fallbackLocale(flags, environment);
  try {
    await writeFile(file, starterFile(locale), { flag: "wx" });
  } catch (thrown) {
    const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : String(thrown);
    throw problem(file, code === "EEXIST" ? exists : notWritten(code), thrown);
  }
  if (output === "json") return write(asJson({ file }));
  write(`${say(locale, { zh: `已写入 ${file}`, en: `Wrote ${file}` })}\n`);
}

const exists = { zh: "文件已存在，不会覆盖", en: "is there already and is not overwritten" };
const notWritten = (code: string) => ({ zh: `无法写入（${code}）`, en: `cannot be written (${code})` });

function rows({ values, origins }: Overview, locale: Locale): string[][] {
  return leaves(values).flatMap((path) => {
    const value = valueAt(values, path);
    if (isRecord(value)) return [];
    const shown = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
    const origin = origins[pathText(path)] ?? { from: "default" };
    return [[pathText(path), printableLine(shown), printableLine(originText(origin, locale))]];
  });
}

function originText(origin: Origin, locale: Locale): string {
  if (origin.from === "default") return say(locale, { zh: "默认", en: "default" });
  return origin.from === "environment" && origin.file !== undefined ? `${origin.name} (${origin.file})` : origin.name;
}

/** Columns as wide as their longest cell, up to 60 columns; a longer cell only pushes its own row. */
function table(lines: string[][]): string {
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.min(60, Math.max(...lines.map((line) => width(line[column])))),
  );
  const padded = lines.map((line) =>
    line.map((cell, column) => cell + " ".repeat(Math.max(0, (widths[column] ?? 0) - width(cell)))),
  );
  return padded.map((line) => `${line.join("  ").trimEnd()}\n`).join("");
}

/** Terminal columns: East Asian wide characters take two. */
function width(cell = ""): number {
  return [...cell].reduce(
    (sum, character) =>
      sum +
      (/[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/.test(character)
        ? 2
        : 1),
    0,
  );
}

function asJson(value: unknown): string {
  return `${printableJson(value, 2)}\n`;
}

import { dirname } from "node:path";
import { findInstructions } from "../../app/instructions/find-instructions.ts";
import { configError } from "../../config/config-errors.ts";
import { findTrustedFiles, getFallbackLocale } from "../../config/load-config.ts";
import type { Flags } from "../../config/settings/settings.ts";
import type { Environment } from "../../config/sources/expand-variables.ts";
import { getTrustedFile } from "../../config/sources/find-file.ts";
import { createStateFolder } from "../../config/sources/state-folder.ts";
import type { TrustPreviewItem } from "../../config/trust/trust-preview.ts";
import { isTrusted, readTrusted, trustFiles } from "../../config/trust/trusted-files.ts";
import type { DuetError } from "../../kit/errors.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { sanitize, sanitizeLine, toSafeJson } from "../../kit/text/sanitize.ts";
import { describeUnreadable } from "../instructions/folder-instructions.ts";
import { canRunCode, quoteName, renderEffects, startsNothing } from "./render-effects.ts";
import { readTrustFiles, type TrustFile } from "./trust-files.ts";

export interface TrustCommand {
  flags: Flags;
  output: "text" | "json";
  /** Is true when the confirmation was given on the command line. */
  yes: boolean;
  /** Asks whether the files that were shown are to be trusted; absent where nobody can be asked. */
  confirm?: (query: string, locale: Locale) => Promise<boolean>;
  /** Takes whole lines, for stdout. */
  write(text: string): void;
  /** Is the process's own environment when absent. */
  environment?: Environment;
  directory?: string;
}

/**
 * Runs `duet config trust`: shows what the configuration here would start, and after the user's approval remembers its exact
 * content, that of the `.env` beside it, and of the instructions of the folder (`AGENTS.md`). Returns 0 when it is trusted and 1
 * when it is not. Throws a one-line `config` error when there is no file, when it cannot be read, or when nothing can be remembered.
 */
export async function runTrust(command: TrustCommand): Promise<number> {
  const { flags, environment, directory, output, write } = command;
  const locale = getFallbackLocale(flags, environment);
  const found = findTrustedFiles(flags, environment, directory);
  createStateFolder(found);
  const none: FolderFiles = { files: [], unreadable: [] };
  const { files: instructions, unreadable } =
    flags.config === undefined ? await readInstructions(found, directory) : none;
  const files = [...(await readTrustFiles(found.file, found.dotEnv)), ...instructions];
  if (files.length === 0) throw unreadable[0] ?? nothingToTrustError(found.file, flags.config);
  if (output === "text") for (const each of unreadable) write(`${say(locale, describeUnreadable(each))}\n`);
  const trusted = await readTrusted(found.home);
  const isKnown = files.every((each) => (each.isInstruction ? each.isKnown : isTrusted(trusted, each.file, each.text)));
  if (output === "text") write(files.map((file) => renderTrustSection(file, locale)).join(""));
  const agrees = isKnown || command.yes || ((await command.confirm?.(renderQuestion(locale), locale)) ?? false);
  if (agrees && !isKnown) await remember(files, found.home);
  if (output === "json") write(toJson(files, agrees));
  else write(`${say(locale, agrees ? (isKnown ? known : done) : command.confirm ? declined : needsYes)}\n`);
  return agrees ? 0 : 1;
}

function nothingToTrustError(file: string, asked: string | undefined): DuetError {
  if (asked !== undefined) return configError(file, { zh: "没有这个文件", en: "there is no such file" });
  return configError(dirname(file), {
    zh: "这里没有需要信任的文件（允许：duet.config.json、.env、AGENTS.md、DUET.md、CLAUDE.md）",
    en: "there is nothing to trust here (allowed: duet.config.json, .env, AGENTS.md, DUET.md, CLAUDE.md)",
  });
}

/** Holds instructions, and what is wrong with those that cannot be read. */
interface FolderFiles {
  files: TrustFile[];
  unreadable: DuetError[];
}

/** Reads the instructions of the folder and of those above it. The user's own need no trust. */
async function readInstructions(
  { home, environment }: Pick<ReturnType<typeof findTrustedFiles>, "home" | "environment">,
  directory = process.cwd(),
): Promise<FolderFiles> {
  const unreadable: DuetError[] = [];
  const found = await findInstructions({ directory, environment, home }, (problem) => unreadable.push(problem));
  const files = found
    .filter(({ isUsers }) => !isUsers)
    .map(({ file, text, isTrusted: isKnown }) => {
      return { file, text, shownText: text, effects: [], preview: [], uses: [], isInstruction: true, isKnown };
    });
  return { files, unreadable };
}

async function remember(files: readonly TrustFile[], home: string): Promise<void> {
  const instructions = files.filter(({ isInstruction }) => isInstruction);
  const others = files.filter(({ isInstruction }) => !isInstruction);
  try {
    if (others.length > 0) await trustFiles(others, home);
    if (instructions.length > 0) await trustFiles(instructions, home, "instructions");
  } catch (thrown) {
    const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : String(thrown);
    const what = { zh: `无法写入（${code}）`, en: `cannot be written (${code})` };
    throw configError(getTrustedFile(home), what, thrown);
  }
}

function toJson(files: readonly TrustFile[], isTrustedNow: boolean): string {
  const shown = files.map(({ file, shownText, preview, uses }) => ({
    ...{ file, uses_variables: uses, text: shownText },
    tells: preview.map(({ key, value, isDangerous }) => ({ key, value, can_run_code: isDangerous })),
  }));
  return `${toSafeJson({ trusted: isTrustedNow, files: shown }, 2)}\n`;
}

const renderQuestion = (locale: Locale): string =>
  say(locale, { zh: "信任以上内容？[y/n] ", en: "Trust what is shown above? [y/n] " });

const done = {
  zh: "已信任：内容改变之前都会使用。",
  en: "Trusted: it is used until its content changes.",
};
const known = { zh: "此内容已经被信任。", en: "This content is already trusted." };
const declined = { zh: "未信任。", en: "Not trusted." };
const needsYes = {
  zh: "未信任：没有可供询问的终端，请用 duet config trust --yes。",
  en: "Not trusted, because there is no terminal to ask in: duet config trust --yes",
};

/**
 * Renders what the user sees of the file: the programs that it starts and the servers that it connects to, the variables that it
 * uses, then its whole text. Nothing is cut, secrets are masked, and a line of the file never begins like one of ours.
 */
export function renderTrustSection(
  { file, shownText, effects, preview, uses, isInstruction }: TrustFile,
  locale: Locale,
): string {
  const would = renderEffects(effects, locale);
  const nothing = isInstruction ? instructionTold : startsNothing;
  const lines = preview.length > 0 ? preview.map((each) => renderItem(each, locale)) : [say(locale, nothing)];
  const used = uses.length > 0 ? [`${say(locale, usesVariables)}${uses.map(quoteName).join(", ")}`] : [];
  // A lone carriage return ends a line, and with it a comment, too.
  const whole = shownText
    .replaceAll("\r\n", "\n")
    .replace(/\n+$/, "")
    .split(/\n|(?<=\r)/);
  return [
    sanitizeLine(file),
    ...[...would, ...lines, ...used, say(locale, wholeText)].map((line) => `  ${sanitize(line)}`),
    ...whole.map((line) => `  | ${sanitize(line)}`),
    "",
  ].join("\n");
}

function renderItem({ key, value, isDangerous }: TrustPreviewItem, locale: Locale): string {
  return `${key}: ${value}${isDangerous ? say(locale, canRunCode) : ""}`;
}

const instructionTold = {
  zh: "作为你的说明交给模型，不启动任何程序",
  en: "is given to models as your instructions, and starts nothing",
};
const usesVariables = { zh: "使用你的环境变量：", en: "uses your variables: " };
const wholeText = { zh: "全文：", en: "full text:" };

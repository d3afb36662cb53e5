import type { Config } from "../../config/config.ts";
import { getFallbackLocale, readConfig } from "../../config/load-config.ts";
import type { Flags } from "../../config/settings/settings.ts";
import { DuetError, toErrorReport } from "../../kit/errors.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { joinSentences } from "../../render/event-lines.ts";
import type { Console } from "../console.ts";
import { countCells, padCells } from "../terminal/text/width.ts";
import { createDraft, type DraftModel, toSettings } from "./draft-model.ts";
import { describeWritten, findFirstConfig } from "./first-config.ts";
import { findProvider, listProviders, type ProviderChoice } from "./list-providers.ts";
import { chooseNext, tryModel } from "./try-model.ts";
import { LeftDialog, openTypedDialog, type TypedDialog } from "./typed-dialog.ts";
import { type FirstSettings, writeFirstSettings } from "./write-config.ts";

export interface FirstStartOptions {
  flags: Flags;
  console: Console;
  signal: AbortSignal;
}

/** Says how the first start ended: a line to show in the chat, where something was written, or that the person has left. */
export type FirstStart = { line?: string } | "left";

/**
 * Asks a person at the very first start for what is missing to ask a model: a provider and its key. The model is tried, and then
 * the configuration is written, for the user alone. Nothing is written before that, so that whoever leaves leaves nothing behind.
 */
export async function runFirstStart({ flags, console, signal }: FirstStartOptions): Promise<FirstStart> {
  const file = await findFirstConfig(flags);
  if (file === undefined) return {};
  const { config, errors } = await readConfig(flags);
  // A model that is named elsewhere needs no question, and what is wrong is told by whoever loads the configuration.
  if (errors.length > 0 || config.models.functionCall !== undefined) return {};
  const locale = getFallbackLocale(flags, config.environment);
  const dialog = openTypedDialog(console, signal);
  try {
    const settings = await askSettings(config, locale, dialog);
    return { line: await writeSettings(file, settings, locale, dialog) };
  } catch (thrown) {
    if (!(thrown instanceof LeftDialog)) throw thrown;
    dialog.write(say(locale, nothingWritten));
    return "left";
  } finally {
    dialog.close();
  }
}

async function askSettings(config: Config, locale: Locale, dialog: TypedDialog): Promise<FirstSettings> {
  dialog.write(say(locale, welcome));
  const choices = await findChoices(config, locale, dialog.signal);
  for (;;) {
    const provider = await askProvider(choices, locale, dialog);
    if (provider.kind === "offline") return {};
    const draft = await createDraft(provider, { config, locale, dialog });
    const tried = await tryUntilKept(draft, config, locale, dialog);
    if (tried !== undefined) return toSettings(tried);
  }
}

/** Returns undefined where another provider is wanted. */
async function tryUntilKept(
  first: DraftModel,
  config: Config,
  locale: Locale,
  dialog: TypedDialog,
): Promise<DraftModel | undefined> {
  let draft = first;
  for (;;) {
    const error = await tryModel(draft, { config, locale, dialog });
    if (error === undefined) return draft;
    const next = await chooseNext(draft, error, { config, locale, dialog });
    if (next === "keep") return draft;
    if (next === "another-provider") return undefined;
    draft = next;
  }
}

async function findChoices(config: Config, locale: Locale, signal: AbortSignal): Promise<ProviderChoice[]> {
  const { findOllama } = await import("../../providers/offered-models.ts");
  const model = await findOllama(config.ollama, signal);
  return listProviders(config.providers, config.environment, model, locale);
}

async function askProvider(
  choices: readonly ProviderChoice[],
  locale: Locale,
  dialog: TypedDialog,
): Promise<ProviderChoice> {
  const width = Math.max(...choices.map(({ name }) => countCells(name)));
  for (const [index, { name, detail }] of choices.entries()) {
    dialog.write(`  ${String(index + 1).padStart(2)}  ${padCells(name, width)}  ${detail}`);
  }
  for (;;) {
    const typed = await dialog.ask(say(locale, describeProviderQuery(choices[0]?.name ?? "")));
    const found = typed === "" ? choices[0] : findProvider(choices, typed);
    if (found !== undefined) return found;
    dialog.write(say(locale, describeNoProvider(typed, choices.length)));
  }
}

/** Goes on without a file where none can be written: the environment and the defaults apply, and the chat says why. */
async function writeSettings(
  file: string,
  settings: FirstSettings,
  locale: Locale,
  dialog: TypedDialog,
): Promise<string> {
  try {
    const { dotEnv } = await writeFirstSettings(file, settings, locale);
    const written = say(locale, describeWritten(file));
    return dotEnv === undefined ? written : `${written} ${say(locale, describeKeyFile(dotEnv))}`;
  } catch (thrown) {
    if (!(thrown instanceof DuetError)) throw thrown;
    const { message, hint } = toErrorReport(thrown, locale);
    dialog.write(joinSentences(message, hint));
    return joinSentences(message, hint);
  }
}

const welcome: Text = {
  zh: "Duet 还没有配置：由谁来回答？（Esc 或 Ctrl-C 离开，不留下任何内容）",
  en: "Duet has no configuration yet: who shall answer? (Esc or Ctrl-C leaves, and nothing stays)",
};
const nothingWritten: Text = {
  zh: "已离开，没有写入任何内容。再次开始：duet",
  en: "Left; nothing was written. To begin again: duet",
};
const describeProviderQuery = (first: string): Text => ({
  zh: `编号或名称（回车：${first}）：`,
  en: `Number or name (Enter: ${first}): `,
});
/** Is longer than the names in the list and shorter than keys of vendors, in UTF-16 units. */
const longestShown = 20;

/** Does not repeat what may be a key that was typed too early. */
function describeNoProvider(typed: string, count: number): Text {
  const isShown = typed.length <= longestShown;
  return {
    zh: `列表中没有${isShown ? ` ${JSON.stringify(typed)}` : "输入的内容"}（允许：1 到 ${count}，或名称）。`,
    en: `${isShown ? JSON.stringify(typed) : "What was typed"} is not in the list (allowed: 1 to ${count}, or a name).`,
  };
}
const describeKeyFile = (file: string): Text => ({
  zh: `密钥在 ${file} 中，只有你能读取。`,
  en: `The key is in ${file}, which only you can read.`,
});

import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type CustomPrompt,
  type FileName,
  listPlaceholders,
  partNames,
  promptNames,
} from "../../agent/prompts/choose-prompt.ts";
import { createBuiltInPrompts } from "../../agent/prompts/prompts.ts";
import { unwritableFileError } from "../../config/config-errors.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import type { Locale, Text } from "../../kit/locale.ts";
import { createRandomHex } from "../../kit/random.ts";
import { promptUses } from "./prompt-uses.ts";
import { checkPromptText, readUserPrompts } from "./user-prompts.ts";

export const promptFileNames = [...promptNames, ...partNames] as const satisfies readonly FileName[];

/** Holds a prompt with its text in both languages. */
export interface PromptEntry {
  name: FileName;
  use: Text;
  /** Names the variables that its text may have. */
  variables: readonly string[];
  texts: Readonly<Record<Locale, PromptText>>;
  /** Lists the files for one family of models, which take precedence. */
  familyFiles: readonly string[];
}

export interface PromptText {
  /** Is the text in force for models without a file of their own. */
  text: string;
  /** Is where it comes from; undefined for the built-in one. */
  file: string | undefined;
}

/** Lists all prompts; `directory` has the user's own. Throws a `config` error for an invalid file. */
export async function listPromptEntries(directory: string | undefined): Promise<PromptEntry[]> {
  const own = directory === undefined ? [] : await readUserPrompts(directory);
  const readBuiltIn = createBuiltInPrompts();
  return promptFileNames.map((name) => {
    const files = own.filter((prompt) => prompt.name === name);
    const plain = files.filter(({ family }) => family === undefined);
    const read = (locale: Locale): PromptText => {
      const chosen = plain.find((prompt) => prompt.locale === locale) ?? plain.find(isForBoth);
      return { text: chosen?.text ?? readBuiltIn(name, locale), file: chosen?.file };
    };
    return {
      ...{ name, use: promptUses[name], variables: listPlaceholders(name) },
      texts: { zh: read("zh"), en: read("en") },
      familyFiles: files.flatMap(({ family, file }) => (family === undefined || file === undefined ? [] : [file])),
    };
  });
}

function isForBoth({ locale }: CustomPrompt): boolean {
  return locale === undefined;
}

export interface PromptChange {
  name: FileName;
  locale: Locale;
  /** Is undefined where the file is removed. */
  text: string | undefined;
}

/**
 * Writes the text of a prompt for one language into a folder of prompts, which need not exist, or removes it there. What else the
 * folder has must be usable, because the next start reads all of it. Throws a `config` error of one line; nothing is changed then.
 */
export async function writePromptFile(directory: string, { name, locale, text }: PromptChange): Promise<void> {
  const file = join(directory, locale, `${name}.md`);
  const refuse = (thrown: unknown): never => {
    throw unwritableFileError(file, thrown);
  };
  if (text === undefined) {
    await rm(file, { force: true }).catch(refuse);
    return;
  }
  checkPromptText(name, text.trim(), file);
  await mkdir(join(directory, locale), { recursive: true }).catch(refuse);
  await readUserPrompts(directory);
  // Its name begins with a dot, so that nobody takes it for a prompt.
  const draft = join(directory, locale, `.${createRandomHex()}.tmp`);
  try {
    await writeFile(draft, `${text.trim()}\n`, { flag: "wx" }).catch(refuse);
    await rename(draft, file).catch(refuse);
  } finally {
    await ignoreRejection(rm(draft, { force: true }), "a draft that stays is ignored");
  }
}

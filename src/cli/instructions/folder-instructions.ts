import { relative } from "node:path";
import {
  type FoundInstructions,
  findInstructions,
  mostInstructionBytes,
  rememberChoice,
  selectTrusted,
} from "../../app/instructions/find-instructions.ts";
import type { Config } from "../../config/config.ts";
import type { FolderInstructions } from "../../core/folder-instructions.ts";
import { type DuetError, toDuetError } from "../../kit/errors.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { sanitize, sanitizeLine } from "../../kit/text/sanitize.ts";
import type { PickOptions } from "../questions/reader.ts";

export interface InstructionsInput {
  config: Pick<Config, "terminal" | "environment" | "home">;
  locale: Locale;
  /** Takes lines for people. */
  write(line: string): void;
  /** Is the working folder of the process when it is absent. */
  directory?: string | undefined;
}

/** Returns the instructions that models are given where nobody is asked, and tells of those that they are not given. */
export async function readTrustedInstructions(input: InstructionsInput): Promise<FolderInstructions[]> {
  const found = await findHere(input);
  const unknown = listUndecided(found);
  if (unknown.length > 0) input.write(say(input.locale, describeUnused(unknown)));
  return selectTrusted(found);
}

type TrustChoice = "yes" | "no" | "show";

/**
 * Returns the instructions that models are given in a chat. A person is asked once about each content that is new in this folder; what
 * they say is remembered. Only `ask` can be stopped, by whoever asks: a key that is meant for the input must not take the instructions
 * away that are being read.
 */
export async function askForInstructions(
  input: InstructionsInput,
  ask: (picking: PickOptions<TrustChoice>) => Promise<TrustChoice | undefined>,
): Promise<FolderInstructions[]> {
  const { config, locale, write } = input;
  const found = await findHere(input);
  const unknown = listUndecided(found);
  if (unknown.length === 0) return selectTrusted(found);
  for (const file of unknown) write(say(locale, describeFile(file)));
  for (;;) {
    const choice = await ask(createPicking(locale));
    if (choice === "show") {
      for (const { file, text } of unknown) write(`${sanitizeLine(file)}\n${sanitize(text.trimEnd())}`);
      continue;
    }
    // No choice is no answer: the next start asks again.
    if (choice === undefined) return selectTrusted(found);
    try {
      await rememberChoice(unknown, config.home, choice === "yes");
    } catch (thrown) {
      write(say(locale, toDuetError(thrown).text));
    }
    return selectTrusted(
      found.map((each) => (unknown.includes(each) ? { ...each, isTrusted: choice === "yes" } : each)),
    );
  }
}

/** Finds the instructions, and tells of files that cannot be read as such. */
async function findHere(input: InstructionsInput): Promise<FoundInstructions[]> {
  const { config, locale, write, directory = process.cwd() } = input;
  const { terminal, environment, home } = config;
  if (!terminal.instructions) return [];
  return findInstructions({ directory, environment, home }, (problem) =>
    write(say(locale, describeUnreadable(problem))),
  );
}

/** Says that a file of instructions is not used, and why. */
export function describeUnreadable({ text }: DuetError): Text {
  return { zh: `${text.zh}，没有作为说明使用`, en: `${text.en}; it is not used as instructions` };
}

function listUndecided(found: readonly FoundInstructions[]): FoundInstructions[] {
  return found.filter(({ isTrusted, isDeclined }) => !isTrusted && !isDeclined);
}

function createPicking(locale: Locale): PickOptions<TrustChoice> {
  return {
    title: say(locale, {
      zh: "作为你的说明交给模型吗？它可能来自他人。",
      en: "Give it to the models as your instructions? It may come from somebody else.",
    }),
    choices: [
      { value: "yes", label: say(locale, { zh: "是", en: "Yes" }), words: ["y", "yes", "是", "好"] },
      { value: "no", label: say(locale, { zh: "否", en: "No" }), words: ["n", "no", "否", "不"] },
      { value: "show", label: say(locale, { zh: "先看内容", en: "Show it first" }), words: ["s", "show", "看"] },
    ],
  };
}

function describeFile({ file, text }: FolderInstructions): Text {
  const bytes = Buffer.byteLength(text);
  const shown = sanitizeLine(file);
  const isLong = bytes > mostInstructionBytes;
  return {
    zh: `📄 ${shown}（${bytes} 字节${isLong ? `，只取前 ${mostInstructionBytes} 字节` : ""}）`,
    en: `📄 ${shown} (${bytes} bytes${isLong ? `, of which the first ${mostInstructionBytes} are used` : ""})`,
  };
}

function describeUnused(files: readonly FolderInstructions[]): Text {
  const names = files.map(({ file }) => sanitizeLine(relative(process.cwd(), file) || file)).join(", ");
  return {
    zh: `未使用 ${names}：内容尚未被信任。在这里启动 duet，或运行 duet config trust；不需要时用 --no-instructions`,
    en: `${names}: not used, because this content is not trusted. Start duet here, or run duet config trust; --no-instructions leaves it out`,
  };
}

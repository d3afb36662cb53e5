import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { ignoreRejection } from "../../../kit/async/ignore-rejection.ts";
import { getMessage } from "../../../kit/errors.ts";
import type { Text } from "../../../kit/locale.ts";
import { toShortLine } from "../../../kit/text/sanitize.ts";
import { mostTyped } from "./buffer.ts";

/** Holds the text as it was left in the editor, or why it stays as it is. */
export type EditedText = { text: string } | { problem: Text };

export interface EditingOptions {
  /** Names the editor, and is what the editor is given. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Ends the editor with us. */
  signal: AbortSignal;
}

/**
 * Has a text edited in the program that `VISUAL` or else `EDITOR` names. The terminal has to be given back before: the program uses
 * it as ours. Never rejects.
 */
export async function editExternally(text: string, { environment, signal }: EditingOptions): Promise<EditedText> {
  const command = environment.VISUAL?.trim() || environment.EDITOR?.trim();
  if (!command) return { problem: noEditor };
  let folder: string | undefined;
  try {
    folder = await mkdtemp(join(tmpdir(), "duet-"));
    const file = join(folder, "question.md");
    await writeFile(file, text, { mode: 0o600 });
    const problem = await runEditor({ command, file, environment, signal });
    if (problem) return { problem: describeFailure(command, problem) };
    if ((await stat(file)).size > 4 * mostTyped) return { problem: tooLong };
    const edited = (await readFile(file, "utf8")).replace(/\r\n?/g, "\n").replace(/\n$/, "");
    return edited.length > mostTyped ? { problem: tooLong } : { text: edited };
  } catch (thrown) {
    return { problem: describeFailure(command, { zh: getMessage(thrown), en: getMessage(thrown) }) };
  } finally {
    if (folder !== undefined)
      await ignoreRejection(rm(folder, { recursive: true }), "a draft that stays is the user's own");
  }
}

/** Resolves to what went wrong. Ctrl-C is for the editor as long as it runs, not for us. */
async function runEditor(run: EditorRun): Promise<Text | undefined> {
  // Those that listen once are still to do so once.
  const listeners = process.rawListeners("SIGINT").filter(isListener);
  process.removeAllListeners("SIGINT").on("SIGINT", ignoreSignal);
  try {
    return await waitForEditor(run);
  } finally {
    process.off("SIGINT", ignoreSignal);
    for (const listener of listeners) process.on("SIGINT", listener);
  }
}

function ignoreSignal(): void {}

function isListener(value: unknown): value is NodeJS.SignalsListener {
  return typeof value === "function";
}

interface EditorRun extends EditingOptions {
  command: string;
  file: string;
}

function waitForEditor({ command, file, environment, signal }: EditorRun): Promise<Text | undefined> {
  const options = { stdio: "inherit", env: environment, signal, killSignal: "SIGTERM" } as const;
  const child =
    process.platform === "win32"
      ? spawn(`${command} "${file}"`, { ...options, shell: true })
      : spawn("/bin/sh", ["-c", `${command} "$1"`, "sh", file], options);
  return new Promise((resolve) => {
    child.once("error", ({ message }) => resolve({ zh: message, en: message }));
    child.once("exit", (code, signal) => {
      if (code === 0) resolve(undefined);
      else if (signal !== null) resolve({ zh: `被信号 ${signal} 终止`, en: `it was ended by ${signal}` });
      else resolve({ zh: `退出码 ${code}`, en: `it ended with exit code ${code}` });
    });
  });
}

function describeFailure(command: string, reason: Text): Text {
  const shown = toShortLine(command, 60);
  return {
    zh: `编辑器 ${shown} 没有正常结束：${reason.zh}。内容没有改变。`,
    en: `The editor ${shown} did not succeed: ${reason.en}. The text stays as it was.`,
  };
}

const noEditor: Text = {
  zh: "没有设置编辑器：请设置 VISUAL 或 EDITOR，例如 EDITOR=vim。",
  en: "No editor is set: set VISUAL or EDITOR, such as EDITOR=vim.",
};
const tooLong: Text = {
  zh: `编辑后的内容太长，没有采用（允许：最多 ${mostTyped} 个字符）。`,
  en: `The edited text is too long and was not taken (allowed: at most ${mostTyped} characters).`,
};

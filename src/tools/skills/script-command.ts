import { constants } from "node:fs";
import { access, open } from "node:fs/promises";
import { readStart } from "../files/read-start.ts";

/** Which program runs a script by the end of its name. */
const interpreters: Record<string, string> = {
  py: "python3",
  js: process.execPath,
  mjs: process.execPath,
  cjs: process.execPath,
  ts: process.execPath,
  mts: process.execPath,
  sh: "sh",
  bash: "bash",
  rb: "ruby",
};

/** The program and its first arguments; undefined for what is neither executable nor of a known kind. */
export async function findCommand(script: string): Promise<[command: string, ...args: string[]] | undefined> {
  const head = await readHead(script);
  const ending = /\.([a-z]+)$/.exec(script)?.[1] ?? "";
  const interpreter = Object.hasOwn(interpreters, ending) ? interpreters[ending] : undefined;
  const isExecutable = await access(script, constants.X_OK).then(
    () => true,
    () => false,
  );
  // Some file systems call every file executable: a script of a known kind has to name its program too.
  if (isExecutable && (head.startsWith("#!") || interpreter === undefined)) return [script];
  if (interpreter === undefined) return undefined;
  return interpreter === "sh" && /^#!.*\bbash\b/.test(head) ? ["bash", script] : [interpreter, script];
}

/** The beginning of the first line. */
async function readHead(script: string): Promise<string> {
  const handle = await open(script, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const { bytes } = await readStart(handle, 100);
    return bytes.toString("latin1").split("\n")[0] ?? "";
  } finally {
    await handle.close();
  }
}

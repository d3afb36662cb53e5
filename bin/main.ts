import { Console } from "node:console";
import { getEventListeners } from "node:events";
import { type ParseArgsConfig, type ParseArgsOptionDescriptor, parseArgs } from "node:util";
import type { Context } from "../src/cli/console.ts";
import { DuetError, toDuetError, toErrorReport } from "../src/kit/errors.ts";
import type { Locale } from "../src/kit/locale.ts";
import { createExitDeadline, exitNow } from "../src/kit/process/exit.ts";
import { hideEnvironment } from "../src/kit/process/hide-environment.ts";
import { sanitizeLine } from "../src/kit/text/sanitize.ts";
import { version } from "../src/kit/version.ts";
import { joinSentences } from "../src/render/event-lines.ts";
import { askCommand } from "./commands/ask.ts";
import { chat } from "./commands/chat.ts";
import type { Action } from "./commands/command.ts";
import { startServer } from "./commands/serve.ts";
import { chatOptions, type Option, serveOptions, sharedOptions } from "./options.ts";
import { takeRepeated, type Values } from "./read-options.ts";

/** On Windows there are SIGINT, SIGBREAK (Ctrl-Break), and SIGHUP when the console is closed; the others never come there. */
const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129, SIGQUIT: 131, SIGBREAK: 130 } as const;

/** Limits how long a command may take to end after a signal, in milliseconds. `serve --http` has its own grace period. */
const signalMs = 1800;

/** Limits how long the process waits for its output to be read before it ends, in milliseconds. */
const unreadMs = 1000;

/**
 * Limits how long open file reads may keep the process alive, in milliseconds. The limit is shorter when the process is to end.
 */
const filesMs = 1000;
const hurriedFilesMs = 50;

/** After a second signal, actions that still have to report or save something get this long, in milliseconds. */
const lastWordsMs = 1300;

/**
 * Runs the command line and ends the process with the exit code of docs/development/contract.md#commands. Errors are one line on
 * stderr.
 */
export async function main(argv: string[]): Promise<void> {
  // Before anything is started that could read them.
  hideEnvironment(process);
  // Stdout is for protocols and answers: what a user's own module logs goes to stderr, by whatever name it has the console.
  Object.assign(console, new Console(process.stderr, process.stderr));
  const stop = new AbortController();
  const hurry = new AbortController();
  let interrupted: keyof typeof signals | undefined;
  let action: Action | undefined;
  let code: number | undefined;
  let stdoutError: NodeJS.ErrnoException | undefined;
  let unwrittenCode: number | undefined;
  let stderrError: NodeJS.ErrnoException | undefined;
  const leave = (withCode: number): void => {
    process.off("exit", reportEarlyExit);
    exitNow(withCode, interrupted === undefined && deadline.leftMs === undefined ? filesMs : hurriedFilesMs);
  };
  const deadline = createExitDeadline(() => {
    if (stdoutError !== undefined && interrupted === undefined)
      return leave(unwrittenCode ?? reportUnwritten(stdoutError));
    leave(toExitCode(code ?? 0, interrupted, action));
  });
  for (const signal of Object.keys(signals) as (keyof typeof signals)[])
    process.on(signal, () => {
      if (interrupted !== undefined) {
        const leaveAtOnce = (): void => leave(signals[signal]);
        if (getEventListeners(hurry.signal, "abort").length === 0) leaveAtOnce();
        setTimeout(leaveAtOnce, lastWordsMs).unref();
        hurry.abort();
        return;
      }
      interrupted = signal;
      // Only somebody who reads nothing is still waited for.
      if (code !== undefined) leave(toExitCode(code, signal, action));
      if (action?.hasOwnGrace !== true) deadline.set(signalMs);
      stop.abort(new DuetError({ code: "internal", text: { zh: "已中断", en: `interrupted by ${signal}` } }));
    });
  // What nobody caught becomes one line, and the other callers are still served.
  const reportUncaught = (thrown: unknown): void =>
    void process.stderr.write(`duet: ${sanitizeLine(toDuetError(thrown).message)}\n`);
  process.on("unhandledRejection", reportUncaught).on("uncaughtException", reportUncaught);
  // A module of the user's that ends the process must not look like a success.
  const reportEarlyExit = (): void => {
    process.stderr.write("duet: the process was ended by a call of process.exit\n");
    process.exitCode = 1;
  };
  process.on("exit", reportEarlyExit);
  process.stdout.on("error", (error) => {
    stdoutError ??= error;
    if (action?.hasOwnGrace !== true) deadline.set(signalMs);
    stop.abort(error);
  });
  // Only the steps are lost there: the answer is still wanted.
  process.stderr.on("error", (error) => {
    stderrError ??= error;
  });
  code = await run(argv, { signal: stop.signal, hurry: hurry.signal, deadline, console: process }, (found) => {
    action = found;
  });
  // A pager is waited for as long as it likes, a reader of a process that is to end is not.
  if (interrupted !== undefined) deadline.set(unreadMs);
  await Promise.all([waitForDrain(process.stdout), waitForDrain(process.stderr)]);
  if (stdoutError !== undefined && interrupted === undefined) {
    unwrittenCode = reportUnwritten(stdoutError);
    await waitForDrain(process.stderr);
    return leave(unwrittenCode);
  }
  if (code === 0 && stderrError !== undefined && !hasLeft(stderrError)) code = 1;
  leave(toExitCode(code, interrupted, action));
}

/**
 * A SIGTERM is how supervisors end a server, so it is no failure there. A caller that waited for an answer has to see that none
 * came.
 */
function toExitCode(code: number, signal: keyof typeof signals | undefined, action: Action | undefined): number {
  if (signal === undefined) return code;
  return signal === "SIGTERM" && action?.endsBySignal === true ? 0 : signals[signal];
}

/** A reader that has closed its end (`duet ask … | head -1`) is not an error; a full disk is. */
function hasLeft(error: NodeJS.ErrnoException): boolean {
  return error.code === "EPIPE";
}

/** Reports why the answer could not be written, and returns the exit code. */
function reportUnwritten(error: NodeJS.ErrnoException): number {
  if (hasLeft(error)) return 0;
  process.stderr.write(`duet: ${sanitizeLine(error.message)}\n`);
  return 1;
}

async function run(argv: string[], context: Context, onAction: (action: Action) => void): Promise<number> {
  try {
    const action = readPlainAction(argv) ?? (await readWithParser(argv));
    if (action === undefined) return 0;
    onAction(action);
    return await action(context);
  } catch (thrown) {
    const error = toDuetError(thrown);
    if (!context.signal.aborted) process.stderr.write(`${toErrorLines(error, await findLocale(argv))}\n`);
    return error.code === "config" ? 2 : 1;
  }
}

async function readWithParser(argv: string[]): Promise<Action | undefined> {
  const { readCommandLine } = await import("./command-line.ts");
  const isHelp = argv.some((word) => word === "--help" || word === "-h");
  return readCommandLine(argv, isHelp ? await findLocale(argv) : undefined);
}

/**
 * Returns the language of the interface, for help and for the error with which the program ends. What else is wrong with the
 * configuration keeps nobody from reading them.
 */
async function findLocale(argv: string[]): Promise<Locale> {
  const { getFallbackLocale, readConfig } = await import("../src/config/load-config.ts");
  const locale = findFlag(argv, "locale");
  const flags = locale === "zh" || locale === "en" ? { locale } : {};
  const config = findFlag(argv, "config");
  return readConfig({ ...flags, ...(config && { config }) }).then(
    (read) => read.config.locale,
    () => getFallbackLocale(flags),
  );
}

/** Finds the value of a flag in a command line that may not parse as a whole. */
function findFlag(argv: string[], name: string): string | undefined {
  const flag = `--${name}`;
  for (const [at, word] of argv.entries()) {
    if (word === "--") break;
    if (word === flag) return argv[at + 1];
    if (word.startsWith(`${flag}=`)) return word.slice(flag.length + 1);
  }
  return undefined;
}

function toErrorLines(error: DuetError, locale: Locale): string {
  const lines = [error, ...error.others].map((each) => {
    const { message, hint } = toErrorReport(each, locale);
    return `duet: ${joinSentences(message, hint)}`;
  });
  return lines.join("\n");
}

/**
 * Reads `duet ask`, `duet serve` and `duet chat` with ordinary flags, and `--version` alone, without yargs, because hosts and people
 * wait for them. Returns undefined for anything else, which yargs then reads.
 */
function readPlainAction(argv: string[]): Action | undefined {
  const [command = "", ...args] = argv;
  if (argv.length === 1 && (command === "--version" || command === "-v")) return writeVersion;
  if (command === "ask") return readPlainQuestion(args);
  if (command === "serve") return readPlainOptions(args, serveOptions, startServer);
  if (command === "chat") return readPlainOptions(args, chatOptions, chat);
  return command === "" || command.startsWith("-") ? readPlainOptions(argv, chatOptions, chat) : undefined;
}

async function writeVersion({ console }: Context): Promise<number> {
  console.stdout.write(`${version}\n`);
  return 0;
}

/** Yargs makes other things than a question of these: `--`, the command that shows help, and the value of a switch before it. */
const leftToYargs: ReadonlySet<string> = new Set(["--", "help", "true", "false"]);

function readPlainQuestion(args: string[]): Action | undefined {
  const { options = {}, run } = askCommand;
  if (run === undefined || args.some((word) => leftToYargs.has(word))) return undefined;
  const { single, values: files } = takeRepeated(args, "file");
  return readPlainOptions(single, options, (values) => run({ ...values, files }), "question");
}

/** Lets one argument stand beside the flags where `argument` names it. */
function readPlainOptions(
  args: string[],
  own: Readonly<Record<string, Option>>,
  action: (values: Values) => Action,
  argument?: string,
): Action | undefined {
  const options = Object.entries<Option>({ ...sharedOptions, ...own });
  const rows = options.map(([name, { type, alias }]): [string, ParseArgsOptionDescriptor] => [
    name,
    alias === undefined ? { type } : { type, short: alias },
  ]);
  const read = { args, options: Object.fromEntries(rows), strict: true, allowPositionals: argument !== undefined };
  const parsed = parsePlain(read);
  if (parsed === undefined || parsed.positionals.length > 1) return undefined;
  const { values, positionals } = parsed;
  if (!options.every(([name, { choices }]) => isChoice(values[name], choices))) return undefined;
  return action(argument === undefined ? values : { ...values, [argument]: positionals[0] });
}

function parsePlain(read: ParseArgsConfig): { values: Values; positionals: string[] } | undefined {
  try {
    return parseArgs(read);
  } catch {
    return undefined;
  }
}

function isChoice(value: unknown, choices: readonly unknown[] | undefined): boolean {
  return value === undefined || choices === undefined || choices.includes(value);
}

function waitForDrain(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || !stream.writable) resolve();
    else stream.write("", () => resolve());
  });
}

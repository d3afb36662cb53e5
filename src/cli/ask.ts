import { fstatSync } from "node:fs";
import type { AskRequest } from "../app/ask/ask-request.ts";
import type { Duet } from "../app/duet.ts";
import type { FolderConsent } from "../app/questions/folder-consent.ts";
import type { AgentEvent } from "../core/run/events.ts";
import type { Outcome } from "../core/run/outcome.ts";
import { DuetError } from "../kit/errors.ts";
import type { Locale } from "../kit/locale.ts";
import { toSafeJson } from "../kit/text/sanitize.ts";
import { createStepWriter } from "../render/step-writer.ts";
import { type Console, writeSafely } from "./console.ts";
import { createRenderer, type RenderOptions } from "./create-renderer.ts";
import { toExitCode } from "./exit-code.ts";
import type { LiveLine } from "./live-line.ts";
import { createTerminalUser } from "./questions/ask-question.ts";
import { createQuietScreen } from "./questions/quiet-screen.ts";
import { canBeAsked, openTerminalQuestions } from "./questions/reader.ts";
import { createEcho, type Echo, findEchoTerminal } from "./terminal/screen/echo.ts";
import { type Line, toPlainText } from "./terminal/text/line.ts";
import type { TerminalAnswer } from "./terminal-answer.ts";

export interface AskOptions {
  duet: Duet;
  console: Console;
  request: AskRequest;
  output: "text" | "json" | "jsonl";
  verbose: boolean;
  hyperlinks: boolean;
  /** Opens what shows the answer on a terminal. Without it the answer is written as the model wrote it. */
  openAnswer?(locale: Locale, echo: Echo): TerminalAnswer | undefined;
  /** Provides what is shown of calls that need consent, and the rules that allow some. */
  consent?: FolderConsent | undefined;
  /** Is true where lines of JSON are to have drafts, or stderr is a terminal that can take them back. */
  drafts?: boolean;
}

/** Answers one question on stdout, and returns the exit code of its outcome. */
export async function runAsk(options: AskOptions): Promise<number> {
  const { duet, console, request, output, verbose, hyperlinks, consent, drafts = false } = options;
  const locale = duet.localeFor(request.question);
  const echo = createEcho({ fd: findEchoTerminal(console.stdout), signal: request.signal });
  const liveLine = drafts && output === "text" ? await openLiveLine(console, echo) : undefined;
  const answer = output === "text" ? options.openAnswer?.(locale, echo) : undefined;
  const take = createEventWriter(output, { console, locale, verbose, hyperlinks, liveLine, answer });
  let outcome: Outcome | undefined;
  const write = (line: string | Line) => writeSafely(console.stderr, `${toPlainText(line)}\n`);
  const showsEvents = output !== "text" && !verbose;
  const questions = canBeAsked(console) ? openTerminalQuestions(console) : undefined;
  const screen =
    questions &&
    createQuietScreen((query, signal) => {
      echo.turnOn();
      return questions.ask(query, signal);
    });
  const user = screen && createTerminalUser({ locale, ask: screen.ask, write, showsEvents, consent });
  try {
    for await (const event of duet.ask({ user, recording: { entrance: "terminal" }, drafts, ...request })) {
      await screen?.free();
      if (event.type === "run-start" && event.mode === "plan") questions?.listen();
      take(event);
      if (event.type === "run-end") outcome = event.outcome;
    }
  } finally {
    answer?.end();
    echo.turnOn();
    questions?.close();
  }
  return toExitCode(outcome);
}

async function openLiveLine({ stderr }: Console, echo: Echo): Promise<LiveLine> {
  const { createLiveLine } = await import("./live-line.ts");
  return createLiveLine(stderr, echo);
}

function createEventWriter(output: AskOptions["output"], options: RenderOptions): (event: AgentEvent) => void {
  const { console, locale, verbose } = options;
  if (output === "text") return createRenderer(options);
  const log = createStepWriter({
    write: (line) => writeSafely(console.stderr, `${line}\n`),
    locale,
    verbose,
    place: "flag",
  });
  return (event) => {
    if (verbose || (output === "json" && isWarning(event))) log(event);
    if (output === "jsonl") console.stdout.write(`${toSafeJson(event)}\n`);
    else if (event.type === "run-end") console.stdout.write(`${toSafeJson(event.outcome, 2)}\n`);
  };
}

/** Is true for an event that warns the reader. An outcome does not contain such events. */
function isWarning(event: AgentEvent): boolean {
  return event.type === "notice" && event.level === "warning" && !event.forLog;
}

const mostBytes = 1_000_000;

/**
 * Reads the question of `duet ask`: the argument, the text on stdin (`-` or no argument), or both, stdin last. Returns an empty
 * string when there was none. Throws a `config` error for more than 1 MB.
 */
export async function readQuestion(argument: string | undefined, { stdin }: Pick<Console, "stdin">): Promise<string> {
  const given = argument === "-" ? undefined : argument;
  if (stdin.isTTY) return given?.trim() ?? "";
  const piped = await readAll(stdin, given === undefined ? undefined : getWaitMs());
  return [given, piped]
    .filter((part) => part?.trim())
    .join("\n\n")
    .trim();
}

/**
 * Returns how long to wait for the first byte of stdin when a question was given, in milliseconds. A shell's pipe writes or
 * ends, so there is no limit for it; the socket that one program gets from another (Node's `spawn`) is often just left open.
 */
function getWaitMs(): number | undefined {
  try {
    return fstatSync(0).isSocket() ? 300 : undefined;
  } catch {
    return 300;
  }
}

async function readAll(stdin: NodeJS.ReadStream, firstByteMs: number | undefined): Promise<string> {
  const timer = firstByteMs === undefined ? undefined : setTimeout(() => stdin.destroy(), firstByteMs);
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of stdin) {
      clearTimeout(timer);
      chunks.push(Buffer.from(chunk));
      bytes += chunk.length;
      if (bytes > mostBytes) break;
    }
  } catch {
    // A stdin that cannot be read (closed, or given up on) has nothing to say.
  } finally {
    clearTimeout(timer);
  }
  if (bytes > mostBytes) throw tooLongError();
  return Buffer.concat(chunks).toString("utf8");
}

function tooLongError(): DuetError {
  return new DuetError({
    code: "config",
    text: {
      zh: `标准输入超过 ${mostBytes} 字节（允许：最多 ${mostBytes} 字节）`,
      en: `stdin holds more than ${mostBytes} bytes (allowed: at most ${mostBytes})`,
    },
  });
}

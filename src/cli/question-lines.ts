import type { AskRequest } from "../app/ask/ask-request.ts";
import type { Duet } from "../app/duet.ts";
import { configError, unknownKeyError } from "../config/config-errors.ts";
import { parseJson } from "../config/sources/parse-json.ts";
import type { Outcome } from "../core/run/outcome.ts";
import { describeNotAllowed } from "../core/schemas/describe-issue.ts";
import { type DuetError, toDuetError, toErrorReport } from "../kit/errors.ts";
import { isRecord } from "../kit/json.ts";
import type { Text } from "../kit/locale.ts";
import { toSafeJson, toShortLine } from "../kit/text/sanitize.ts";
import { readCappedLines } from "./chat/interface/plain/capped-lines.ts";
import { type Console, writeLine } from "./console.ts";

export interface QuestionLinesOptions {
  duet: Duet;
  console: Console;
  /** Holds what is the same for all questions. */
  request: Omit<AskRequest, "question">;
  signal: AbortSignal;
}

/** Is what one line asks. */
interface AskedLine {
  id: string | number | null;
  question: string;
  conversationId?: string | undefined;
}

/**
 * Answers the questions of stdin, a line of JSON each, one after the other. Each has a line on stdout, in the same order, with its
 * `id`, the number of its line, and its result or error; a line that cannot be read does not keep the others from being answered.
 * The exit code is that of the worst line: 130 cancelled, 1 failed, 2 a line that is wrong, 3 partial, 0.
 */
export async function answerLines(options: QuestionLinesOptions): Promise<number> {
  const { console, signal } = options;
  const codes = new Set<number>();
  for await (const line of readLines(console, signal)) {
    if (signal.aborted) break;
    if (line.text?.trim() === "") continue;
    codes.add(await answerLine(line, options));
  }
  if (signal.aborted) codes.add(130);
  return severity.find((code) => codes.has(code)) ?? 0;
}

const severity = [130, 1, 2, 3];

async function answerLine(line: InputLine, { duet, console, request, signal }: QuestionLinesOptions): Promise<number> {
  let id: AskedLine["id"] = null;
  let asked: AskedLine | undefined;
  try {
    const value = await parseLine(line);
    // Whoever sent a line that is wrong finds it by its ID too.
    if (isId(value.id)) id = value.id;
    asked = readAskedLine(value, line.number);
    const { question, conversationId } = asked;
    let result: Outcome | undefined;
    const whole: AskRequest = { ...request, question, ...(conversationId && { conversationId }), signal };
    for await (const event of duet.ask({ recording: { entrance: "terminal" }, ...whole }))
      if (event.type === "run-end") result = event.outcome;
    console.stdout.write(`${toSafeJson({ id, line: line.number, result: result ?? null })}\n`);
    return result === undefined ? 1 : (exitCodes[result.status] ?? 3);
  } catch (thrown) {
    const error: DuetError = toDuetError(thrown);
    const report = toErrorReport(error, duet.locale);
    if (asked === undefined) writeLine(console, report.message);
    console.stdout.write(`${toSafeJson({ id, line: line.number, error: report })}\n`);
    return asked === undefined ? 2 : 1;
  }
}

const exitCodes: Partial<Record<Outcome["status"], number>> = { complete: 0, failed: 1, cancelled: 130 };

const keys = ["id", "question", "conversation_id"];

async function parseLine({ number, text }: InputLine): Promise<Record<string, unknown>> {
  const where = `stdin:${number}`;
  if (text === undefined) throw configError(where, tooLong);
  const value = await parseJson(text, "stdin", true, number);
  if (!isRecord(value)) throw fieldError(where, text, anObject);
  return value;
}

function isId(value: unknown): value is string | number {
  return typeof value === "string" || typeof value === "number";
}

function readAskedLine(value: Record<string, unknown>, number: number): AskedLine {
  const where = `stdin:${number}`;
  const unknown = Object.keys(value).find((key) => !keys.includes(key));
  if (unknown !== undefined) throw unknownKeyError(`${where}: ${toShortLine(unknown, 40)}`, unknown, keys);
  const { id = null, question, conversation_id: conversationId } = value;
  if (id !== null && !isId(id)) throw fieldError(`${where}: id`, JSON.stringify(id), anId);
  if (typeof question !== "string" || question.trim() === "")
    throw fieldError(`${where}: question`, JSON.stringify(question), aText);
  if (conversationId !== undefined && (typeof conversationId !== "string" || !/\S/.test(conversationId)))
    throw fieldError(`${where}: conversation_id`, JSON.stringify(conversationId), aText);
  return { id, question: question.trim(), conversationId };
}

function fieldError(where: string, shown: string | undefined, allowed: Text): DuetError {
  return configError(where, describeNotAllowed(toShortLine(shown ?? "-", 80), allowed));
}

const anObject: Text = {
  zh: 'JSON 对象，如 {"id":"1","question":"你好"}',
  en: 'a JSON object, such as {"id":"1","question":"hello"}',
};
const anId: Text = { zh: "字符串或数字", en: "a string or a number" };
const aText: Text = { zh: "非空的字符串", en: "a string that is not empty" };
const tooLong: Text = {
  zh: "这一行太长（允许：最多 1000000 字节）",
  en: "the line is too long (allowed: at most 1000000 bytes)",
};

interface InputLine {
  number: number;
  /** Is absent where the line was too long. */
  text: string | undefined;
}

/** Limits how many lines are read before their turn. */
const mostWaiting = 100;

/** Yields the lines of stdin as they come, until it ends or the signal aborts. */
async function* readLines({ stdin }: Console, signal: AbortSignal): AsyncGenerator<InputLine> {
  const waiting: InputLine[] = [];
  let number = 0;
  let hasEnded = false;
  let wake = (): void => {};
  const add = (text: string | undefined): void => {
    number += 1;
    waiting.push({ number, text });
    if (waiting.length > mostWaiting) stdin.pause();
    wake();
  };
  const stop = readCappedLines(stdin, {
    onLine: add,
    onTooLong: () => add(undefined),
    onEnd() {
      hasEnded = true;
      wake();
    },
  });
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  try {
    while (waiting.length > 0 || !hasEnded) {
      const next = waiting.shift();
      if (waiting.length === mostWaiting) stdin.resume();
      if (next) yield next;
      else {
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        await promise;
      }
    }
  } finally {
    signal.removeEventListener("abort", stop);
    stop();
  }
}

import type { Readable } from "node:stream";
import { isSpecType, type JSONRPCMessage, type Transport } from "@modelcontextprotocol/server";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { isRecord } from "../../kit/json.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import type { Log } from "../operations/log.ts";
import { checkMessage, type InvalidMessage, toMessageId } from "./check-message.ts";

/** Handles lines of a host in which the package finds no message: it reports them as errors, and answers nobody. */
export interface UnreadableLines {
  /** Takes what the package reports, while it reads a line or at any other time. */
  onError(error: Error): void;
  /** Handles lines of this stream, which the package already reads. */
  follow(lines: Readable): void;
}

interface Options {
  transport: Transport;
  locale: Locale;
  log: Log;
  /** Returns the revision of the protocol that was agreed on; undefined before that. */
  getRevision(): string | undefined;
}

/** Is the one revision in which a line may hold several messages. Over HTTP they are refused in that one, too. */
const revisionWithBatches = "2025-03-26";

/** Limits the messages of a batch. */
const mostInBatch = 100;

export function createUnreadableLines(options: Options): UnreadableLines {
  /** Is set while the package reads a line, and says whether it has found no message in it. */
  let reading: { isUnreadable: boolean } | undefined;
  return {
    onError(error) {
      // The package describes an invalid message by listing everything that it could have been.
      if (reading && (error.name === "ZodError" || error.name === "$ZodError")) reading.isUnreadable = true;
      else options.log(error.message, "warn");
    },
    follow(lines) {
      lines.prependListener("data", () => {
        reading = { isUnreadable: false };
      });
      lines.on("data", (line: Buffer) => {
        const isUnreadable = reading?.isUnreadable;
        reading = undefined;
        if (isUnreadable) handleLine(line, options);
      });
    },
  };
}

/** Takes a line in which the package finds no message: several where that is allowed, else it is refused. */
function handleLine(line: Buffer, options: Options): void {
  const written: unknown = JSON.parse(line.toString("utf8"));
  if (!Array.isArray(written)) refuse(written, findProblem(written), options);
  else if (written.length > mostInBatch) refuseLongBatch(written.length, options);
  else if (written.length > 0 && options.getRevision() === revisionWithBatches) handleBatch(written, options);
  else refuseBatch(written, options);
}

/** One error stands for all of a batch that is too long: its answers would be as long. */
function refuseLongBatch(length: number, { transport, locale, log }: Options): void {
  const text = describeLongBatch(length);
  log(say(locale, describeRefused(text)), "warn");
  const refusal: JSONRPCMessage = { jsonrpc: "2.0", error: { code: -32600, message: say(locale, text) } };
  void ignoreRejection(transport.send(refusal), "the host may have closed its end already");
}

/** Tells the operator once, and each who waits for an answer. */
function refuseBatch(messages: readonly unknown[], options: Options): void {
  const { code, text } = findProblem(messages);
  options.log(say(options.locale, describeRefused(text)), "warn");
  for (const each of messages.filter(isRecord)) answerRefused(each, { code, text, id: toMessageId(each.id) }, options);
}

/** Each request of a batch gets an answer of its own, as MCP allows it. The operator is told once of all that is refused. */
function handleBatch(messages: readonly unknown[], options: Options): void {
  const refused: InvalidMessage[] = [];
  for (const each of messages) {
    if (!("code" in checkMessage(each)) && isSpecType.JSONRPCMessage(each) && !isInitialize(each)) {
      options.transport.onmessage?.(each);
      continue;
    }
    const problem = isInitialize(each) ? { ...findProblem(each), text: initializeInBatch } : findProblem(each);
    refused.push(problem);
    answerRefused(each, problem, options);
  }
  const [first] = refused;
  if (first !== undefined) options.log(say(options.locale, describeRefusedOf(refused.length, first.text)), "warn");
}

function isInitialize(message: unknown): boolean {
  return isRecord(message) && message.method === "initialize";
}

/** Tells the operator why this is no message, and whoever waits for an answer to it. */
function refuse(written: unknown, problem: InvalidMessage, options: Options): void {
  options.log(say(options.locale, describeRefused(problem.text)), "warn");
  answerRefused(written, problem, options);
}

function answerRefused(
  written: unknown,
  { code, text, id }: InvalidMessage,
  { transport, locale }: Pick<Options, "transport" | "locale">,
): void {
  if (id === undefined) return;
  const refusal: JSONRPCMessage = { jsonrpc: "2.0", id, error: { code, message: say(locale, text) } };
  // A response that cannot be read fails the request that it is for: one of ours, and none of the host's.
  if (isResponse(written)) transport.onmessage?.(refusal);
  else void ignoreRejection(transport.send(refusal), "the host may have closed its end already");
}

function findProblem(written: unknown): InvalidMessage {
  const found = checkMessage(written);
  return "code" in found ? found : { code: -32600, text: notJsonRpc, id: toMessageId(found.body.id) };
}

/** MCP does not allow it: what stands beside it would be read in a revision that is not agreed on. */
const initializeInBatch = {
  zh: "initialize 不能放在批量消息中（允许：单独发送）",
  en: "initialize is not allowed in a batch (allowed: a message of its own)",
};

function describeLongBatch(length: number): Text {
  return {
    zh: `批量消息过长：收到 ${length} 条（允许：不超过 ${mostInBatch} 条）`,
    en: `the batch is too long: received ${length} messages (allowed: at most ${mostInBatch})`,
  };
}

/** Is said of what the package alone refuses. */
const notJsonRpc = { zh: "消息不是 JSON-RPC", en: "the message is not JSON-RPC" };

function isResponse(written: unknown): boolean {
  return isRecord(written) && !("method" in written) && ("result" in written || "error" in written);
}

function describeRefusedOf(count: number, first: Text): Text {
  if (count === 1) return describeRefused(first);
  return {
    zh: `宿主发来的一批消息中有 ${count} 条未予处理，第一条的原因：${first.zh}`,
    en: `${count} messages of a batch from the host were refused, the first one because: ${first.en}`,
  };
}

function describeRefused(text: Text): Text {
  return {
    zh: `宿主发来的一条消息未予处理：${text.zh}`,
    en: `A message from the host was refused: ${text.en}`,
  };
}

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

/** Is the one revision in which a line may hold several messages. */
const revisionWithBatches = "2025-03-26";

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
  else if (written.length > 0 && options.getRevision() === revisionWithBatches) handleBatch(written, options);
  else refuseBatch(written, options);
}

/** Tells the operator once, and each who waits for an answer. */
function refuseBatch(messages: readonly unknown[], options: Options): void {
  const { code, text } = findProblem(messages);
  options.log(say(options.locale, describeRefused(text)), "warn");
  for (const each of messages.filter(isRecord)) answerRefused(each, { code, text, id: toMessageId(each.id) }, options);
}

/** Each request of a batch gets an answer of its own, as MCP allows it. */
function handleBatch(messages: readonly unknown[], options: Options): void {
  for (const each of messages) {
    if (!("code" in checkMessage(each)) && isSpecType.JSONRPCMessage(each)) options.transport.onmessage?.(each);
    else refuse(each, findProblem(each), options);
  }
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

/** Is said of what the package alone refuses. */
const notJsonRpc = { zh: "消息不是 JSON-RPC", en: "the message is not JSON-RPC" };

function isResponse(written: unknown): boolean {
  return isRecord(written) && !("method" in written) && ("result" in written || "error" in written);
}

function describeRefused(text: Text): Text {
  return {
    zh: `宿主发来的一条消息未予处理：${text.zh}`,
    en: `A message from the host was refused: ${text.en}`,
  };
}

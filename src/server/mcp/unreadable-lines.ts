import type { Readable } from "node:stream";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { isRecord } from "../../kit/json.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import type { Log } from "../operations/log.ts";
import { checkMessage, type InvalidMessage, toMessageId } from "./check-message.ts";

/** Answers lines of a host in which the package finds no message: it reports them as errors, and answers nobody. */
export interface UnreadableLines {
  /** Takes what the package reports, while it reads a line or at any other time. */
  onError(error: Error): void;
  /** Answers lines of this stream, which the package already reads. */
  follow(lines: Readable): void;
}

interface Options {
  transport: Transport;
  locale: Locale;
  log: Log;
}

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
        if (isUnreadable) refuseLine(line, options);
      });
    },
  };
}

/** Tells the operator why a line is no message, and whoever waits for an answer to it. */
function refuseLine(line: Buffer, { transport, locale, log }: Options): void {
  const written: unknown = JSON.parse(line.toString("utf8"));
  const { code, text, id } = findProblem(written);
  log(say(locale, describeRefused(text)), "warn");
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

import { checkMessage, type Message } from "../../mcp/check-message.ts";
import type { HttpRefusal } from "../response/dialects.ts";
import { jsonFaults, readJson } from "./read-json.ts";

/** Reads the one message that a POST carries. */
export function readMessage(text: string): Message | HttpRefusal {
  const read = readJson(text);
  if ("fault" in read) return { status: 400, code: -32700, text: jsonFaults[read.fault] };
  const message = checkMessage(read.value);
  return "code" in message ? { status: 400, ...message } : message;
}

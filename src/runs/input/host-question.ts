import { randomUUID } from "node:crypto";
import {
  type ElicitRequestFormParams,
  type InputRequest,
  type InputResponseView,
  inputRequired,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import type { ElicitationReply } from "../../core/forms/elicitation.ts";

/** Represents a question as the host's user sees it. Its message says who asks. */
export type HostQuestion =
  | { kind: "form"; message: string; form: ElicitRequestFormParams["requestedSchema"] }
  | UrlQuestion;

interface UrlQuestion {
  kind: "url";
  message: string;
  url: string;
}

/** Converts a question to an entry of a result, as the 2026 era requires. */
export function toInputRequest(question: HostQuestion): InputRequest {
  const { message } = question;
  if (question.kind === "url") return inputRequired.elicitUrl({ message, url: question.url });
  return inputRequired.elicit({ message, requestedSchema: question.form });
}

/** Asks in the middle of the host's request, as the 2025 era does. Never rejects; returns undefined when nobody has replied. */
export async function askHost(
  question: HostQuestion,
  { mcpReq }: ServerContext,
  signal: AbortSignal,
  timeout: number,
): Promise<ElicitationReply | undefined> {
  const { message } = question;
  const params =
    question.kind === "url"
      ? { mode: "url", message, url: question.url, elicitationId: randomUUID() }
      : { message, requestedSchema: question.form };
  try {
    return readReply(await mcpReq.send({ method: "elicitation/create", params }, { signal, timeout }));
  } catch {
    return undefined;
  }
}

const filledIn = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]));

/** Reads the host's reply for its user. Returns undefined for an invalid reply, which counts as none. */
export function readReply(
  reply: InputResponseView | { action: string; content?: unknown },
): ElicitationReply | undefined {
  if (!("action" in reply)) return undefined;
  if (reply.action === "decline" || reply.action === "cancel") return { action: reply.action };
  if (reply.action !== "accept") return undefined;
  if (reply.content === undefined || reply.content === null) return { action: "accept" };
  const { data } = filledIn.safeParse(reply.content);
  return data && { action: "accept", content: data };
}

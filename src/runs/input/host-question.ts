import { randomUUID } from "node:crypto";
import {
  type ElicitRequestFormParams,
  type InputRequest,
  inputRequired,
  isSpecType,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import type { ElicitationReply } from "../../core/forms/elicitation.ts";
import { toKnownForm } from "../../core/forms/form.ts";
import { isRecord } from "../../kit/json.ts";
import type { Host } from "./host.ts";

/** Represents a question as the host's user sees it. Its message says who asks. */
export type HostQuestion = (
  | { kind: "form"; message: string; form: ElicitRequestFormParams["requestedSchema"] }
  | UrlQuestion
) & { origin?: QuestionOrigin | undefined };

/** Says which run asks, so that another process of the same store can take the answer. */
export interface QuestionOrigin {
  runId: string;
  questionId: string;
}

interface UrlQuestion {
  kind: "url";
  message: string;
  url: string;
}

/** Converts a question to the request that this host knows: in the words of its revision, and of its era. */
export function toInputRequest(question: HostQuestion, { protocolVersion, isModern }: Host): InputRequest {
  const { message } = question;
  if (question.kind === "url") {
    const { url } = question;
    if (isModern) return inputRequired.elicitUrl({ message, url });
    return { method: "elicitation/create", params: { mode: "url", message, url, elicitationId: randomUUID() } };
  }
  const known = { message, requestedSchema: toKnownForm(question.form, protocolVersion) };
  return inputRequired.elicit(
    isSpecType.ElicitRequestFormParams(known) ? known : { message, requestedSchema: question.form },
  );
}

/**
 * Sends a request in the middle of the host's own, as the 2025 era does. Never rejects; returns undefined when the host has not
 * answered it.
 */
export async function sendToHost(
  request: InputRequest,
  { mcpReq }: ServerContext,
  signal: AbortSignal,
  timeout: number,
): Promise<unknown> {
  try {
    return await mcpReq.send(request, { signal, timeout });
  } catch {
    return undefined;
  }
}

const filledIn = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]));

/** Reads the host's reply for its user. Returns undefined for an invalid reply, which counts as none. */
export function readReply(reply: unknown): ElicitationReply | undefined {
  if (!isRecord(reply)) return undefined;
  if (reply.action === "decline" || reply.action === "cancel") return { action: reply.action };
  if (reply.action !== "accept") return undefined;
  if (reply.content === undefined || reply.content === null) return { action: "accept" };
  const { data } = filledIn.safeParse(reply.content);
  return data && { action: "accept", content: data };
}

import type { ElicitationReply } from "../../core/forms/elicitation.ts";
import type { PlanReply } from "../../core/questions/plan-reply.ts";
import { toText } from "../../kit/json.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { sanitize } from "../../kit/text/sanitize.ts";
import { renderPlan } from "../../render/plan-lines.ts";
import { toApproval, toApprovalQuestion } from "../input/approval-question.ts";
import { canShow, type Host } from "../input/host.ts";
import { type HostQuestion, toQuestion } from "../input/host-question.ts";
import type { AskHost } from "../input/pending-work.ts";
import type { OpenQuestion, RunQuestion } from "./open-question.ts";

/**
 * Puts a run's question to the host's user, and the answer to the run. When the signal aborts first, the question is free
 * for the next request; when it is closed meanwhile, it is withdrawn.
 */
export async function askQuestion(
  open: OpenQuestion,
  locale: Locale,
  ask: AskHost,
  signal: AbortSignal,
): Promise<void> {
  const { question } = open;
  const shown = toHostQuestion(question, locale);
  if (shown === undefined) return open.withdraw();
  const release = open.show();
  const reply = await ask(shown, signal, open.closed);
  if (open.closed.aborted) return;
  if (signal.aborted && reply.action === "cancel") return release();
  answerQuestion(question, reply);
}

/** Gives a run what the host's user has said. */
export function answerQuestion(question: RunQuestion, reply: ElicitationReply): void {
  if (question.kind === "call") question.answer(toApproval(reply));
  else if (question.kind === "plan") question.answer(toPlanReply(reply));
  else question.answer(reply);
}

export function canAsk(host: Host, { question }: OpenQuestion): boolean {
  return canShow(host, question.kind === "elicitation" ? question.elicitation.kind : "form");
}

/**
 * Converts a question to the form that a host's user sees. Returns undefined when a downstream server asked for something that
 * MCP does not know.
 */
export function toHostQuestion(question: RunQuestion, locale: Locale): HostQuestion | undefined {
  if (question.kind === "elicitation") return toQuestion(question.elicitation);
  return question.kind === "call" ? toApprovalQuestion(question.request, locale) : ofPlan(question, locale);
}

function ofPlan({ steps }: Extract<RunQuestion, { kind: "plan" }>, locale: Locale): HostQuestion {
  const words = { zh: "执行这个计划吗？", en: "Run this plan?" };
  const change = {
    type: "string" as const,
    title: say(locale, { zh: "要修改什么", en: "What to change" }),
    description: say(locale, { zh: "留空即按计划执行", en: "Leave empty to proceed" }),
  };
  const message = sanitize(`${say(locale, words)}\n${renderPlan(steps, locale).join("\n")}`);
  return { kind: "form", message, form: { type: "object", properties: { change } } };
}

function toPlanReply(reply: ElicitationReply): PlanReply | undefined {
  if (reply.action !== "accept") return reply.action === "decline" ? { reply: "no" } : undefined;
  const words = toText(reply.content?.change).trim();
  return words === "" ? { reply: "yes" } : { reply: "edit", words };
}

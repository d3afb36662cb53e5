import type { PlanStep } from "../../core/events.ts";
import type { Locale } from "../../kit/errors.ts";
import type { JsonObject, JsonSchema } from "../../kit/json.ts";
import { type OpenQuestion, toHostQuestion } from "../../runs/questions/put-question.ts";

/** A question of a run as the agent API gives it out. */
export interface QuestionJson {
  question_id: string;
  kind: "call" | "plan" | "form" | "url";
  /** All of it in words. */
  message: string;
  /** Of a call. */
  tool?: string;
  arguments?: JsonObject;
  rule?: string;
  /** Of a call: whether an approval counts for this one alone. */
  only_once?: boolean;
  /** Of a plan. */
  steps?: PlanStep[];
  /** Of a form: a flat object, as MCP has it. */
  schema?: JsonSchema;
  url?: string;
  /** Of a form or an address: the server that asks. */
  from?: string;
  /** ISO 8601, UTC. */
  expires_at: string;
}

/** Undefined where a program below has asked for something that no form of MCP can show. */
export function toQuestionJson({ id, question, until }: OpenQuestion, locale: Locale): QuestionJson | undefined {
  const words = toHostQuestion(question, locale);
  if (words === undefined) return undefined;
  const said = { question_id: id, message: words.message, expires_at: new Date(until).toISOString() };
  if (question.kind === "plan") return { ...said, kind: "plan", steps: [...question.steps] };
  if (question.kind === "call") {
    const { tool, arguments: args, rule, onlyOnce } = question.request;
    return { ...said, kind: "call", tool, arguments: args, rule, only_once: onlyOnce };
  }
  const { elicitation } = question;
  if (elicitation.kind === "url") return { ...said, kind: "url", url: elicitation.url, from: elicitation.from };
  return { ...said, kind: "form", schema: elicitation.schema, from: elicitation.from };
}

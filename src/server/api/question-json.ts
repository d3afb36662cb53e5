import type { PlanStep } from "../../core/events.ts";
import type { JsonObject, JsonSchema } from "../../kit/json.ts";
import type { Locale } from "../../kit/locale.ts";
import { toHostQuestion } from "../../runs/questions/put-question.ts";
import type { OpenQuestion } from "../../runs/questions/run-question.ts";

/** Represents a question of a run in the agent API. */
export interface QuestionJson {
  question_id: string;
  kind: "call" | "plan" | "form" | "url";
  /** Contains the whole question as text. */
  message: string;
  /** Is present only for a call. */
  tool?: string;
  arguments?: JsonObject;
  rule?: string;
  /** Is present only for a call, and is true when an approval counts for this call alone. */
  only_once?: boolean;
  /** Is present only for a plan. */
  steps?: PlanStep[];
  /** Is present only for a form: a flat object, as in MCP. */
  schema?: JsonSchema;
  url?: string;
  /** Is present only for a form or an address, and names the server that asks. */
  from?: string;
  /** Holds ISO 8601, UTC. */
  expires_at: string;
}

/** Returns undefined when a downstream server asked for something that no form of MCP can show. */
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

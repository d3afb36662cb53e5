import type { QuestionJson } from "../../core/schemas/run-schema.ts";
import type { Locale } from "../../kit/locale.ts";
import { toHostQuestion } from "../../runs/questions/ask-question.ts";
import type { OpenQuestion } from "../../runs/questions/open-question.ts";

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

import { toModelName } from "../../core/model.ts";
import { toConversationTitle } from "../../core/store/conversation-title.ts";
import type { AgentTrace } from "../../core/trace.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { sanitize, toShortLine } from "../../kit/text/sanitize.ts";
import { stopReasons } from "../../render/event-lines.ts";
import { modeNames } from "../../render/mode-names.ts";
import { renderTime } from "../conversations/conversation-lines.ts";

/** Renders a conversation as Markdown: each question with its answer, the answer's references, models and time. */
export function toConversationMarkdown(
  { id, runs }: { id: string; runs: readonly AgentTrace[] },
  { locale, now }: { locale: Locale; now: Date },
): string {
  const title = toShortLine(toConversationTitle(runs[0]?.question ?? "") || id, 100);
  const saved = renderTime(now.toISOString());
  const facts = say(locale, {
    zh: `- 对话：${id}\n- 保存于：${saved}\n- 模型：${listModels(runs).join("、")}`,
    en: `- Conversation: ${id}\n- Saved: ${saved}\n- Models: ${listModels(runs).join(", ")}`,
  });
  const turns = runs.map((run, index) => renderTurn(run, index + 1, locale));
  return sanitize(`${[`# ${title}`, facts, ...turns].join("\n\n")}\n`);
}

function renderTurn(run: AgentTrace, number: number, locale: Locale): string {
  const heading = `## ${number} · ${renderTime(run.started_at)}`;
  const question = `> ${run.question.trim().replaceAll("\n", "\n> ")}`;
  const by = `*${[listModels([run]).join(" → "), say(locale, modeNames[run.mode])].filter(Boolean).join(" · ")}*`;
  return [heading, question, by, run.final_answer.trim(), renderEnding(run, locale)].filter(Boolean).join("\n\n");
}

/** Explains why there is no answer, or only part of one. */
function renderEnding({ status, finish_reason, error }: AgentTrace, locale: Locale): string {
  if (status === "complete") return "";
  const reason = say(locale, stopReasons[finish_reason]);
  const why = error ? `${reason} · ${error.message}` : reason;
  return `*⚠ ${toShortLine(why, 300)}*`;
}

/** Returns the models that were called, each once, in their order. */
function listModels(runs: readonly AgentTrace[]): string[] {
  const bills = runs.flatMap(({ models }) => [models.function_call, models.answer]);
  return [...new Set(bills.filter(({ calls }) => calls > 0).map(toModelName))];
}

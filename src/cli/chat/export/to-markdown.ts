import { toConversationTitle } from "../../../core/store/conversation-title.ts";
import type { AgentTrace } from "../../../core/trace.ts";
import { type Locale, say } from "../../../kit/locale.ts";
import { sanitize, toShortLine } from "../../../kit/text/sanitize.ts";
import { modeNames } from "../../../render/mode-names.ts";
import { renderTime } from "../../conversations/conversation-lines.ts";
import { toTypedQuestion } from "../typed-question.ts";
import {
  type ExportedConversation,
  type ExportedStep,
  listExportedSteps,
  listModels,
  renderEnding,
} from "./exported-conversation.ts";

export interface ExportOptions {
  locale: Locale;
  now: Date;
}

/** Names a conversation as the forms for people head it. */
export function toExportTitle({ id, title, runs }: ExportedConversation): string {
  return toShortLine(title || toConversationTitle(runs[0]?.question ?? "") || id, 100);
}

/** Renders a conversation as Markdown: each question with its steps and its answer, models and time. */
export function toConversationMarkdown(exported: ExportedConversation, { locale, now }: ExportOptions): string {
  const { id, runs } = exported;
  const saved = renderTime(now.toISOString());
  const facts = say(locale, {
    zh: `- 对话：${id}\n- 保存于：${saved}\n- 模型：${listModels(runs).join("、")}`,
    en: `- Conversation: ${id}\n- Saved: ${saved}\n- Models: ${listModels(runs).join(", ")}`,
  });
  const turns = runs.map((run, index) => renderTurn(run, index + 1, locale));
  return sanitize(`${[`# ${toExportTitle(exported)}`, facts, ...turns].join("\n\n")}\n`);
}

function renderTurn(run: AgentTrace, number: number, locale: Locale): string {
  const heading = `## ${number} · ${renderTime(run.started_at)}`;
  const question = `> ${toTypedQuestion(run.question).trim().replaceAll("\n", "\n> ")}`;
  const by = `*${[listModels([run]).join(" → "), say(locale, modeNames[run.mode])].filter(Boolean).join(" · ")}*`;
  const steps = listExportedSteps(run, locale).map(renderStep);
  const ending = renderEnding(run, locale);
  return [heading, question, by, ...steps, run.final_answer.trim(), ending && `*${ending}*`]
    .filter(Boolean)
    .join("\n\n");
}

function renderStep({ title, input, text }: ExportedStep): string {
  return [`### ${title}`, input && fence(input, "json"), text.trim() && fence(text, "text")]
    .filter(Boolean)
    .join("\n\n");
}

/** The fence is longer than any in the text, so that nothing in it ends the block. */
function fence(text: string, language: string): string {
  const longest = [...text.matchAll(/`+/g)].reduce((most, [marks]) => Math.max(most, marks.length), 2);
  const marks = "`".repeat(longest + 1);
  return `${marks}${language}\n${text.trimEnd()}\n${marks}`;
}

import { toConversationTitle } from "../../core/store/conversations/conversation-title.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { sanitize, toShortLine } from "../../kit/text/sanitize.ts";
import { modeNames } from "../mode-names.ts";
import { renderTime } from "../render-time.ts";
import { toTypedQuestion } from "../typed-question.ts";
import {
  type ExportedConversation,
  type ExportedRun,
  type ExportedStep,
  listExportedSteps,
  listModels,
  type RunPlace,
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
  const { id, runs, places = [] } = exported;
  const saved = renderTime(now.toISOString());
  const facts = say(locale, {
    zh: `- 对话：${id}\n- 保存于：${saved}\n- 模型：${listModels(runs).join("、")}`,
    en: `- Conversation: ${id}\n- Saved: ${saved}\n- Models: ${listModels(runs).join(", ")}`,
  });
  const turns = runs.map((run, index) => renderTurn(run, places[index] ?? { n: index + 1, parent: index }, locale));
  return sanitize(`${[`# ${toExportTitle(exported)}`, facts, ...turns].join("\n\n")}\n`);
}

function renderTurn(run: ExportedRun, { n, parent }: RunPlace, locale: Locale): string {
  const heading = `## ${n}${run.started_at === undefined ? "" : ` · ${renderTime(run.started_at)}`}`;
  const place = parent === n - 1 ? "" : `*${renderPlace(parent, locale)}*`;
  const question = `> ${toTypedQuestion(run.question).trim().replaceAll("\n", "\n> ")}`;
  const mode = run.mode && say(locale, modeNames[run.mode]);
  const by = [listModels([run]).join(" → "), mode].filter(Boolean).join(" · ");
  const steps = listExportedSteps(run, locale).map(renderStep);
  const ending = renderEnding(run, locale);
  return [heading, place, question, by && `*${by}*`, ...steps, run.final_answer.trim(), ending && `*${ending}*`]
    .filter(Boolean)
    .join("\n\n");
}

/** Says which turn comes before one that does not follow the turn above it. */
function renderPlace(parent: number, locale: Locale): string {
  if (parent === 0) return say(locale, { zh: "另一个分支：从头开始", en: "On another branch, from the beginning" });
  return say(locale, { zh: `另一个分支：接在第 ${parent} 轮之后`, en: `On another branch, after turn ${parent}` });
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

import { type Locale, say } from "../../kit/locale.ts";
import { escapeHtml } from "../../kit/text/escape-html.ts";
import { sanitize } from "../../kit/text/sanitize.ts";
import { modeNames } from "../mode-names.ts";
import { renderTime } from "../render-time.ts";
import { toTypedQuestion } from "../typed-question.ts";
import {
  type ExportedConversation,
  type ExportedRun,
  type ExportedStep,
  listExportedSteps,
  listModels,
  renderEnding,
} from "./exported-conversation.ts";
import { type ExportOptions, toExportTitle } from "./to-markdown.ts";

/** Renders a conversation as one page. All texts of people, models and tools are escaped, and the page may load and run nothing. */
export function toConversationHtml(exported: ExportedConversation, { locale, now }: ExportOptions): string {
  const title = toHtml(toExportTitle(exported));
  const facts = toHtml([exported.id, renderTime(now.toISOString()), ...listModels(exported.runs)].join(" · "));
  const turns = exported.runs.map((run, index) => renderTurn(run, index + 1, locale));
  return `<!doctype html>
<html lang="${locale}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<h1>${title}</h1>
<p class="facts">${facts}</p>
${turns.join("\n")}
</body>
</html>
`;
}

function renderTurn(run: ExportedRun, number: number, locale: Locale): string {
  const time = run.started_at && renderTime(run.started_at);
  const by = [time, listModels([run]).join(" → "), run.mode && say(locale, modeNames[run.mode])];
  const ending = renderEnding(run, locale);
  return [
    `<h2>${number}</h2>`,
    `<p class="facts">${toHtml(by.filter(Boolean).join(" · "))}</p>`,
    `<blockquote>${toHtml(toTypedQuestion(run.question).trim())}</blockquote>`,
    ...listExportedSteps(run, locale).map(renderStep),
    ...(run.final_answer.trim() === "" ? [] : [`<div class="answer">${toHtml(run.final_answer.trim())}</div>`]),
    ...(ending === "" ? [] : [`<p class="facts">${toHtml(ending)}</p>`]),
  ].join("\n");
}

function renderStep({ title, input, text }: ExportedStep): string {
  const blocks = [input, text].filter((block) => block.trim() !== "").map((block) => `<pre>${toHtml(block)}</pre>`);
  return `<details><summary>${toHtml(title)}</summary>${blocks.join("")}</details>`;
}

function toHtml(text: string): string {
  return escapeHtml(sanitize(text));
}

const style = `
body{max-width:48rem;margin:2rem auto;padding:0 1rem;font:16px/1.6 system-ui,sans-serif;color-scheme:light dark}
blockquote{margin:0 0 1rem;padding:.2rem 1rem;border-left:4px solid #888;white-space:pre-wrap;overflow-wrap:anywhere}
.answer{white-space:pre-wrap;overflow-wrap:anywhere}
.facts{opacity:.7;font-size:.9rem}
details{margin:.5rem 0}
pre{white-space:pre-wrap;overflow-wrap:anywhere;padding:.6rem;border:1px solid #8886;font-size:.85rem}
`;

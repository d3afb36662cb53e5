import { type Locale, say, type Text } from "../../kit/locale.ts";
import type { Observation } from "../loop/calls/observe-call.ts";

/** A conversation remembers such an answer under this title: tool results must not come back as the assistant's own words. */
export const plainResultsTitle: Text = {
  zh: "没有模型能够写出回答，以下是已有的中间结果：",
  en: "No model could write the answer. These are the results so far:",
};

/** Returns the unchanged results themselves as the answer, for when no model can write one. Each is code: it is shown, and never read as Markdown. */
export function renderPlainResults(observations: readonly Observation[], locale: Locale): string {
  const results = observations
    .filter(({ ran }) => ran)
    .map(({ call, result, text }) => toCodeBlock(`${call.name} ${call.argumentsText}\n${result.shown ?? text}`));
  return [say(locale, plainResultsTitle), ...results].join("\n\n");
}

/** Returns an answer without the results that stand in for what no model could write: a later run has written it. */
export function removePlainResults(answer: string): string {
  const paragraphs = answer.split("\n\n");
  const place = paragraphs.findIndex((text) => text === plainResultsTitle.zh || text === plainResultsTitle.en);
  return place < 0 ? answer : paragraphs.slice(0, place).join("\n\n");
}

/** The marks around it are longer than any in the text. */
function toCodeBlock(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const marks = "`".repeat(longest + 1);
  return `${marks}\n${text}\n${marks}`;
}

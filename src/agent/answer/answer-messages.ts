import { type Locale, say, type Text } from "../../kit/locale.ts";
import { fenceResult } from "../context/fence.ts";
import type { Observation } from "../loop/act.ts";

/** What the answer model gets of the other model's work: the question and each call with its result, as fenced text. */
export function toAnswerMessage(
  question: string,
  observations: readonly Observation[],
  marker: string,
  locale: Locale,
): string {
  const read = observations.filter(({ ran }) => ran);
  if (read.length === 0) return question;
  const results = read.map(
    ({ call, result, text }, index) =>
      `${index + 1}. ${call.name} ${call.argumentsText}\n${fenceResult(text, result, marker)}`,
  );
  const title = say(locale, { zh: "工具结果：", en: "Tool results:" });
  return [question, title, ...results].join("\n\n");
}

/** What a conversation remembers of such an answer: what tools gave must not come back as the assistant's own words. */
export const plainResultsTitle: Text = {
  zh: "没有模型能够写出回答，以下是已有的中间结果：",
  en: "No model could write the answer. These are the results so far:",
};

/** The answer when no model can give one: the results themselves, as they came. */
export function renderPlainResults(observations: readonly Observation[], locale: Locale): string {
  const results = observations
    .filter(({ ran }) => ran)
    .map(({ call, text }) => `${call.name} ${call.argumentsText}\n${text}`);
  return [say(locale, plainResultsTitle), ...results].join("\n\n");
}

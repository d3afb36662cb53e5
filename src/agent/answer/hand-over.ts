import { isRefusedCall } from "../../core/tools/refused-call.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { toShortLine } from "../../kit/text/sanitize.ts";
import { takeStart } from "../../kit/text/truncate.ts";
import { fence, reportResult } from "../context/fence.ts";
import { renderNote } from "../hooks/render-note.ts";
import type { Observation } from "../loop/calls/observe-call.ts";
import { renderFilledArguments } from "../plan/filled-arguments.ts";
import type { RecordedRound } from "../run.ts";

/** Holds what the answer model reads of the work of the model that chose the tools. */
export interface HandOver {
  observations: readonly Observation[];
  /** Holds the turns of the run, with the calls that each has made side by side. */
  turns?: readonly Pick<RecordedRound, "made">[];
  /** Holds the words with which the model closed its work. */
  lastWords?: string | undefined;
  /** Lists the searches for tools that found none. */
  unfound?: readonly string[];
  /** Lists the steps that the model left out when it had to shorten its plan. */
  dropped?: readonly string[] | undefined;
}

/** Limits the closing words, and the arguments and reason of a call that was not run, in characters. */
const longestLastWords = 1000;
const longestArguments = 300;
const longestReason = 200;
/** Limits the arguments of a call that ran or was refused, in characters: the answer may have to say what was prepared. */
const longestPrepared = 4000;

/**
 * Gives the answer model the question and the other model's work: each call with its result, the calls that were not run, what was
 * searched for in vain, and the closing words. What tools and models said is fenced. Results carry no numbers of their own, because
 * an answer could cite them.
 */
export function toAnswerMessage(question: string, handOver: HandOver, marker: string, locale: Locale): string {
  const { observations, turns = [], lastWords = "", unfound = [], dropped = [] } = handOver;
  const results = observations
    .filter(({ ran, result }) => ran && !isRefusedCall(result))
    .map((one) => renderResult(one, marker, locale));
  const unrun = findUnrun(observations, turns).map((one) => renderUnrun(one, locale));
  const left = dropped.map((step) => `- ${toShortLine(step, longestArguments)}`);
  const searches = unfound.map((query) => `- ${query}`);
  const closing = lastWords.trim() === "" ? [] : [fence(shorten(lastWords.trim(), longestLastWords), marker)];
  return [
    question,
    ...addTitle(titles.results, results, locale),
    ...addTitle(titles.unrun, [unrun.join("\n")], locale),
    ...addTitle(titles.dropped, [left.join("\n")], locale),
    ...addTitle(titles.unfound, [searches.join("\n")], locale),
    ...addTitle(titles.closing, closing, locale),
  ].join("\n\n");
}

function renderResult({ call, result, text }: Observation, marker: string, locale: Locale): string {
  const heading = `### ${call.name} ${shorten(call.argumentsText, longestPrepared)}`;
  const notes = renderFilledArguments(call, marker, locale) + renderNote(result, marker, locale);
  return `${heading}\n${reportResult(text, result, { marker, language: locale })}${notes}`;
}

/**
 * Returns the calls that were refused and not made in another turn, each once. A repeated call is none: its result is there. One with
 * invalid arguments is none where a call of its tool in a later turn had valid ones: that corrects it. A call beside it was made before
 * the model knew that there is something to correct.
 */
function findUnrun(observations: readonly Observation[], turns: NonNullable<HandOver["turns"]>): Observation[] {
  const hasRun = (one: Observation): boolean => one.ran && !isRefusedCall(one.result);
  const made = new Set(observations.filter(hasRun).map(toCallKey));
  const isBeside = (a: Observation, b: Observation): boolean =>
    turns.some((turn) => turn.made.includes(a.call) && turn.made.includes(b.call));
  const isCorrected = (one: Observation, index: number): boolean =>
    isInvalid(one) &&
    observations
      .slice(index + 1)
      .some((later) => later.call.name === one.call.name && !isInvalid(later) && !isBeside(one, later));
  const unrun = observations.filter(
    (one, index) => !hasRun(one) && !one.isRepeated && !isCorrected(one, index) && !made.has(toCallKey(one)),
  );
  return [...new Map(unrun.map((one) => [toCallKey(one), one])).values()];
}

function isInvalid({ result }: Observation): boolean {
  return result.error?.code === "invalid_arguments";
}

function renderUnrun(one: Observation, locale: Locale): string {
  const { call, result, text } = one;
  const longest = isRefusedCall(result) ? longestPrepared : longestArguments;
  const remedy = result.permission?.decision === "unanswered" ? say(locale, whereAsked) : "";
  // What is wrong with the arguments is told as an order to correct them, which whoever reads this cannot follow.
  const reason = isInvalid(one) ? say(locale, invalid) : toShortLine(result.shown ?? text, longestReason);
  return `- ${call.name} ${toShortLine(call.argumentsText, longest)}: ${reason}${remedy}`;
}

const invalid: Text = { zh: "参数不正确。", en: "The arguments were not valid." };

const whereAsked: Text = {
  zh: "用户可以在终端对话中同意它，或修改规则。",
  en: " The user can agree to it in the terminal chat, or change the rule.",
};

function toCallKey({ call }: Observation): string {
  return `${call.name} ${call.argumentsText}`;
}

function shorten(text: string, longest: number): string {
  return text.length > longest ? `${takeStart(text, longest)}…` : text;
}

function addTitle(title: Text, parts: readonly string[], locale: Locale): string[] {
  const filled = parts.filter((part) => part !== "");
  return filled.length === 0 ? [] : [say(locale, title), ...filled];
}

const titles = {
  results: { zh: "工具结果：", en: "Tool results:" },
  unrun: { zh: "没有执行的调用：", en: "Calls that were not run:" },
  dropped: {
    zh: "为了不超过步骤上限，计划里去掉了这些步骤（其他步骤可能已经包含）：",
    en: "Steps that were left out of the plan to keep within its limit (other steps may cover them):",
  },
  unfound: { zh: "没有找到做这些事的工具：", en: "No tool was found for:" },
  closing: {
    zh: "选择工具的模型留下的说明（可能有误）：",
    en: "Note of the model that chose the tools (it may be wrong):",
  },
};

import type { ToolCall } from "../../core/model/messages.ts";
import { say, type Text } from "../../kit/locale.ts";
import { toShortLine } from "../../kit/text/sanitize.ts";
import { takeStart } from "../../kit/text/truncate.ts";
import { act } from "../loop/calls/act.ts";
import type { Observation } from "../loop/calls/observe-call.ts";
import { listEarlierCalls } from "../loop/earlier-steps.ts";
import { recordCalls } from "../loop/record-step.ts";
import type { AnswerResult } from "../loop/run-result.ts";
import type { Run } from "../run.ts";
import { type AnswerInput, writeAnswer } from "./write-answer.ts";

/**
 * Answers in chat mode: the answer model answers without tools. With search on, the web is searched once before, for the message
 * as it was typed. If a search finds nothing, a notice says so, and the model answers from what it knows.
 */
export async function answerInChatMode(run: Run): Promise<AnswerResult> {
  const found = run.input.search ? await searchFirst(run) : undefined;
  return writeAnswer(run, found ? fromPages(found) : directly);
}

/** Answers without tools from what was called for the question before the run, in place of a search. */
export async function answerFromEarlierSteps(run: Run): Promise<AnswerResult> {
  return writeAnswer(run, {
    prompt: "answer",
    reason: { zh: "根据已有的工具结果回答", en: "answering from the results that there are" },
    handOver: { observations: listEarlierCalls(run) },
  });
}

const directly: AnswerInput = {
  prompt: "chat",
  reason: { zh: "直接回答", en: "answering directly" },
  handOver: { observations: [] },
};

function fromPages(found: Observation): AnswerInput {
  return {
    prompt: "answer",
    reason: { zh: "根据搜索结果回答", en: "answering from the search results" },
    handOver: { observations: [found] },
  };
}

/** Limits a search query to this many characters; a longer message is of no use to a search engine. */
const longestQuery = 1000;

async function searchFirst(run: Run): Promise<Observation | undefined> {
  if (!run.services.catalog.tools.has("web_search")) return noticeSearch(run, "search-unavailable", unavailable);
  const query = takeStart(run.state.question, longestQuery);
  const call: ToolCall = {
    id: "chat-search",
    name: "web_search",
    argumentsText: JSON.stringify({ query }),
    arguments: { query },
  };
  const [found] = await act(run, [call], 1, 1);
  if (found) recordCalls(run, [found]);
  run.services.clock.callerSignal.throwIfAborted();
  if (!found?.result.ok)
    return noticeSearch(run, "search-failed", describeFailedSearch(found?.result.shown ?? found?.text ?? ""));
  if (found.result.sources?.length === 0) return noticeSearch(run, "search-empty", empty);
  return found;
}

function noticeSearch(run: Run, code: string, text: Text): undefined {
  run.services.emit({ type: "notice", level: "warning", code, message: say(run.input.locale, text) });
}

const unavailable: Text = {
  zh: "联网搜索不可用（配置、--no-search 或工具规则关闭了它），直接回答。",
  en: "Web search is not available (turned off by the configuration, --no-search or the tool patterns); answering without it.",
};

const empty: Text = {
  zh: "联网搜索没有找到结果，基于已有知识回答。",
  en: "The web search found nothing; answering from what the model knows.",
};

function describeFailedSearch(why: string): Text {
  const shown = toShortLine(why, 300);
  return {
    zh: `联网搜索失败，基于已有知识回答：${shown}`,
    en: `The web search failed; answering from what the model knows: ${shown}`,
  };
}

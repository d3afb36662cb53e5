import type { ToolCall } from "../../core/model/messages.ts";
import {
  type Model,
  type ModelRequest,
  noUsage,
  type OnModelEvent,
  offlineProvider,
  type ToolDefinition,
  type Turn,
  toModelName,
  withCall,
} from "../../core/model/model.ts";
import { detectLanguage, type Locale, say } from "../../kit/locale.ts";
import { type OfflineQuestion, readHistory } from "./history.ts";
import { introduce, introduceTools, isHelpRequest, type MatchingTool } from "./introduction.ts";
import { quoteBlock, toOneLine } from "./result-text.ts";
import { planSteps, type Step } from "./steps.ts";

/** Is shown as the author of what the rules write. */
export const offlineName = { provider: offlineProvider, model: "rules" };

/**
 * Creates a model that needs no key and no network and is no language model. It recognises plain requests by rule, calls tools
 * in the same loop as any other and writes the answer from their results. The same request always gives the same turn.
 */
export function createOfflineModel({ locale }: { locale: Locale }): Model {
  return withCall({
    ...offlineName,
    followsPrompts: false,
    // It looks at nothing but the last question and its results, so no conversation is too long for it.
    contextWindow: Number.POSITIVE_INFINITY,
    async stream(request: ModelRequest, onEvent: OnModelEvent, signal: AbortSignal): Promise<Turn> {
      signal.throwIfAborted();
      const { text, toolCalls } = takeTurn(request, request.locale ?? locale);
      for (const piece of text.match(/[^\n]*\n+|[^\n]+$/g) ?? []) {
        onEvent({ type: "text-delta", text: piece });
        signal.throwIfAborted();
      }
      const message = { role: "assistant" as const, content: text, toolCalls, author: toModelName(offlineName) };
      return { message, finish: toolCalls.length > 0 ? "tool-calls" : "stop", usage: { ...noUsage } };
    },
  });
}

interface RuleTurn {
  text: string;
  toolCalls: ToolCall[];
}

function takeTurn({ messages, tools }: ModelRequest, fallback: Locale): RuleTurn {
  const asked = readHistory(messages);
  const locale = detectLanguage(asked.question, fallback);
  if (isHelpRequest(asked.question)) return answer(introduceTools(tools, locale));
  if (tools.length === 0 && asked.done.length === 0) return answer(introduce(tools, locale));
  const steps = planSteps(asked, tools);
  const last = steps.at(-1);
  return last?.step === "call" ? call(last, asked, locale) : answer(writeAnswer(steps, tools, locale));
}

function answer(text: string): RuleTurn {
  return { text, toolCalls: [] };
}

function call({ rule, arguments: args, catalog }: CallStep, { done }: OfflineQuestion, locale: Locale): RuleTurn {
  const text = describeCall({ rule, arguments: args, catalog }, locale);
  return { text, toolCalls: [toToolCall(catalog, done.length)] };
}

/** Says in a sentence what the call is for. */
export function describeCall(
  { rule, arguments: args, catalog }: Pick<CallStep, "rule" | "arguments" | "catalog">,
  locale: Locale,
): string {
  const { zh, en } = rule.purpose(args);
  const text = say(locale, { zh: `用 ${catalog.tool} ${zh}。`, en: `Using ${catalog.tool} to ${en}.` });
  return toOneLine(text, longestThought);
}

export function toToolCall({ tool, arguments: args }: MatchingTool, before: number): ToolCall {
  return { id: `rule-${before + 1}`, name: tool, argumentsText: JSON.stringify(args), arguments: args };
}

type CallStep = Extract<Step, { step: "call" }>;

const longestThought = 200;

/**
 * Writes the answer to a question whose steps are all recognised: the result of each, and a note that no language model wrote
 * it.
 */
export function writeAnswer(steps: readonly Step[], tools: readonly ToolDefinition[], locale: Locale): string {
  if (steps.every(({ step }) => step === "unknown")) return introduce(tools, locale);
  return `${renderSteps(steps, locale)}\n\n${say(locale, footers[steps.some(({ step }) => step === "done") ? "called" : "not-called"])}`;
}

/** Renders the result of each step. A request made twice shares one step. */
export function renderSteps(steps: readonly Step[], locale: Locale): string {
  return [...new Set(steps)].map((step) => renderStep(step, locale)).join("\n\n");
}

function renderStep(step: Step, locale: Locale): string {
  switch (step.step) {
    case "done":
      return renderDone(step, locale);
    case "refused":
      return say(locale, step.refusal);
    case "unknown":
      return say(locale, {
        zh: `没有做“${toOneLine(step.part, 60)}”：规则路由认不出这个请求。`,
        en: `Not done: "${toOneLine(step.part, 60)}"; the rule router does not recognise it.`,
      });
    case "no-tool": {
      const { zh, en } = step.rule.purpose(step.arguments);
      const wanted = step.rule.tools[0];
      return say(locale, {
        zh: `没能${zh}：没有可用的 ${wanted} 工具。`,
        en: `Could not ${en}: there is no ${wanted} tool available.`,
      });
    }
    case "left-out":
    case "call": {
      const { zh, en } = step.rule.purpose(step.arguments);
      return say(locale, { zh: `没有${zh}：已达到次数或时间上限。`, en: `Did not ${en}: a limit was reached first.` });
    }
  }
}

function renderDone({ rule, arguments: args, done }: Extract<Step, { step: "done" }>, locale: Locale): string {
  if (!done.ok) {
    const { zh, en } = rule?.purpose(args) ?? { zh: `调用 ${done.tool}`, en: `call ${done.tool}` };
    const reason = toOneLine(done.result, 500);
    if (reason === "") return say(locale, { zh: `没能${zh}。`, en: `Could not ${en}.` });
    return say(locale, { zh: `没能${zh}：${reason}`, en: `Could not ${en}: ${reason}` });
  }
  if (rule) return rule.renderResult(done.result, args, locale);
  return `${say(locale, { zh: `${done.tool} 的结果：`, en: `The result of ${done.tool}:` })}\n\n${quoteBlock(done.result)}`;
}

const footers = {
  called: {
    zh: "（离线规则模式：没有使用语言模型，只按规则调用了工具。配置一个模型后可获得完整回答，见 README。）",
    en: "(Offline rule mode: no language model was used; tools were called by rule only. Configure a model for full answers, see the README.)",
  },
  "not-called": {
    zh: "（离线规则模式：没有使用语言模型，也没有调用工具。配置一个模型后可获得完整回答，见 README。）",
    en: "(Offline rule mode: no language model was used and no tool was called. Configure a model for full answers, see the README.)",
  },
};

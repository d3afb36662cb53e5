import type { ToolCall } from "../../core/messages.ts";
import { type Model, type ModelEvent, type ModelRequest, noUsage, offlineProvider } from "../../core/model.ts";
import { detectLanguage, type Locale, say } from "../../kit/locale.ts";
import { writeAnswer } from "./answer.ts";
import { type OfflineQuestion, readHistory } from "./history.ts";
import { introduce, introduceTools, isHelpRequest } from "./introduction.ts";
import { toOneLine } from "./result-text.ts";
import { planSteps, type Step } from "./steps.ts";

/**
 * Creates a model that needs no key and no network and is no language model. It recognises plain requests by rule, calls tools
 * in the same loop as any other and writes the answer from their results. The same request always gives the same turn.
 */
export function createOfflineModel({ locale }: { locale: Locale }): Model {
  return {
    provider: offlineProvider,
    model: "rules",
    followsPrompts: false,
    // It looks at nothing but the last question and its results, so no conversation is too long for it.
    contextWindow: Number.POSITIVE_INFINITY,
    async *stream(request, signal) {
      signal.throwIfAborted();
      const { text, toolCalls } = takeTurn(request, request.locale ?? locale);
      for (const piece of text.match(/[^\n]*\n+|[^\n]+$/g) ?? []) {
        yield { type: "text-delta", text: piece } satisfies ModelEvent;
        signal.throwIfAborted();
      }
      const message = { role: "assistant" as const, content: text, toolCalls };
      const finish = toolCalls.length > 0 ? "tool-calls" : "stop";
      yield { type: "turn-end", turn: { message, finish, usage: { ...noUsage } } } satisfies ModelEvent;
    },
  };
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

function call(
  { rule, arguments: args, catalog }: Extract<Step, { step: "call" }>,
  { done }: OfflineQuestion,
  locale: Locale,
): RuleTurn {
  const { zh, en } = rule.purpose(args);
  const text = toOneLine(
    say(locale, { zh: `用 ${catalog.tool} ${zh}。`, en: `Using ${catalog.tool} to ${en}.` }),
    longestThought,
  );
  const argumentsText = JSON.stringify(catalog.arguments);
  return {
    text,
    toolCalls: [{ id: `rule-${done.length + 1}`, name: catalog.tool, argumentsText, arguments: catalog.arguments }],
  };
}

const longestThought = 200;

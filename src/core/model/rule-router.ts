import type { JsonObject } from "../../kit/json.ts";
import type { Locale } from "../../kit/locale.ts";
import type { ToolCall } from "./messages.ts";
import type { ToolDefinition } from "./model.ts";

/** Answers plain requests by rule, in place of a model. */
export interface RuleRouter {
  /** Is shown where a model's name is, as `provider/model`. */
  readonly name: string;
  /** Returns what comes next for a question, or undefined where a model must decide, also after a call that failed. */
  findStep(asked: RoutedQuestion): RuleStep | undefined;
  /** Returns true when the rules know what at least a part of the question asks for. */
  recognizes(question: string, tools: readonly ToolDefinition[]): boolean;
}

export interface RoutedQuestion {
  question: string;
  /** Lists the calls that were made for the question so far, with their results as models read them. */
  done: readonly RoutedCall[];
  tools: readonly ToolDefinition[];
  /** Is the language of the answer. */
  locale: Locale;
}

export interface RoutedCall {
  tool: string;
  arguments: JsonObject;
  result: string;
  ok: boolean;
}

/** Is a call to make, with a sentence that says what it is for, or the whole answer. */
export type RuleStep = { step: "call"; call: ToolCall; thought: string } | { step: "answer"; text: string };

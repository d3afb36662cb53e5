import { readFileSync } from "node:fs";
import { countRequestTokens } from "../../src/agent/context/context-window.ts";
import { toPlainText } from "../../src/core/model/message-content.ts";
import { type Model, type ModelRequest, type OnModelEvent, type Turn, withCall } from "../../src/core/model/model.ts";
import type { EvalCase } from "../../src/eval/case-file.ts";
import { sleep } from "../../src/kit/async/timeout.ts";
import { DuetError } from "../../src/kit/errors.ts";
import { isRecord, type JsonObject } from "../../src/kit/json.ts";

export interface CallToMake {
  name: string;
  input: JsonObject;
}

/** What a model does wrong in a case. */
export type PlantedFault = "wrong-tool" | "wrong-argument" | "time-out" | "hang" | "wrong-answer";

type Script = Record<string, { tool: string; arguments: JsonObject }[]>;

/** The calls of the starter set that do not follow from what it expects. */
export const starterCalls: Script = JSON.parse(
  readFileSync(new URL("../eval/starter-calls.json", import.meta.url), "utf8"),
);

/** The calls that are right for a case: those of the script, else what the case expects, word for word. */
export function listRightCalls({ id, calls = [] }: EvalCase, script: Script = starterCalls): CallToMake[] {
  const written = script[id] ?? calls.map((call) => ({ tool: call.tool, arguments: toWords(call.arguments ?? {}) }));
  return written.map((call) => ({
    name: call.tool.replace("read_*file", "read_text_file").replace("list_directory*", "list_directory"),
    input: call.arguments,
  }));
}

/** A value that fits what is expected. Patterns begin with a plain word. */
function toWords(expected: JsonObject): JsonObject {
  const toWord = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(toWord);
    if (!isRecord(value)) return value;
    if (typeof value.$matches === "string") return value.$matches.split("|")[0];
    if (Array.isArray(value.$oneOf)) return value.$oneOf[0];
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toWord(inner)]));
  };
  return JSON.parse(JSON.stringify(toWord(expected)));
}

/** An answer that passes the checks of a case. */
export function writeRightAnswer({ answer = [] }: EvalCase): string {
  const parts = answer.flatMap((check): string[] => {
    if ("contains" in check) return [check.contains].flat();
    if ("citations" in check) return ["[1]"];
    if ("matches" in check) return [fillPattern(check.matches)];
    return [];
  });
  return `${parts.join(" ")}.`;
}

/** A text for the few kinds of patterns that the starter set has. */
function fillPattern(pattern: string): string {
  const samples = [
    "7,006,742",
    "8,456",
    "256 and 18,446,744,073,709,551,616",
    "750",
    "12:30",
    "1,293",
    "371",
    "2,461",
    "东城",
    "映月湖",
  ];
  return samples.find((sample) => new RegExp(pattern, "iu").test(sample)) ?? pattern;
}

interface ScriptedRole {
  cases: readonly EvalCase[];
  role: "decide" | "answer" | "alone";
  /** What goes wrong, by the IDs of cases. */
  faults?: ReadonlyMap<string, PlantedFault>;
  price?: number;
}

/** A model that knows the cases: it makes their calls in one round, and then writes what they want to read. */
export function createCaseModel(name: string, { cases, role, faults = new Map(), price = 1 }: ScriptedRole): Model {
  const streaming: Omit<Model, "call"> = {
    provider: "fake",
    model: name,
    // In US dollars for each million of tokens.
    cost: ({ inputTokens, outputTokens }) => ((inputTokens + outputTokens) * price) / 1e6,
    async stream(request: ModelRequest, onEvent: OnModelEvent, signal: AbortSignal): Promise<Turn> {
      const found = findCase(cases, request);
      const fault = faults.get(found.id);
      const hasCalled = request.messages.some(({ role: said }) => said === "tool");
      const calls = role === "answer" || hasCalled ? [] : makeCalls(found, fault);
      const text = calls.length > 0 ? "" : role === "decide" ? "Enough." : writeAnswer(found, fault);
      if (fault === "hang") await sleep(600_000, signal);
      if (fault === "time-out" && text !== "" && role !== "decide") throw silenceError();
      if (text !== "") onEvent({ type: "text-delta", text });
      const toolCalls = calls.map(({ name: tool, input }, index) => ({
        ...{ id: `call_${index}`, name: tool, arguments: input, argumentsText: JSON.stringify(input) },
      }));
      return {
        message: { role: "assistant", content: text, toolCalls },
        finish: calls.length > 0 ? "tool-calls" : "stop",
        usage: {
          inputTokens: countRequestTokens(model, request),
          outputTokens: Math.ceil((text.length + JSON.stringify(toolCalls).length) / 4),
          reasoningTokens: 0,
          cachedTokens: 0,
        },
      };
    },
  };
  const model: Model = withCall(streaming);
  return model;
}

function makeCalls(one: EvalCase, fault: PlantedFault | undefined): CallToMake[] {
  const right = listRightCalls(one);
  if (fault === "wrong-tool") return [{ name: "calculator", input: { expression: "1 + 1" } }];
  if (fault !== "wrong-argument") return right;
  return right.map(({ name, input }) => ({
    name,
    input: Object.fromEntries(
      Object.entries(input).map(([key, value]) => [key, typeof value === "string" ? "elsewhere" : value]),
    ),
  }));
}

function writeAnswer(one: EvalCase, fault: PlantedFault | undefined): string {
  return fault === "wrong-answer" ? "I do not know." : writeRightAnswer(one);
}

/** The case whose question is in the request; the longest one where one question is in another. */
function findCase(cases: readonly EvalCase[], { messages }: ModelRequest): EvalCase {
  const asked = messages.flatMap((message) => (message.role === "user" ? [toPlainText(message.content, "en")] : []));
  const found = cases
    .filter(({ question }) => asked.some((text) => text.includes(question)))
    .sort((a, b) => b.question.length - a.question.length)[0];
  if (found === undefined) throw new Error(`no case has this question: ${asked.join("\n")}`);
  return found;
}

/** What a model's own limit on silence ends with. */
function silenceError(): DuetError {
  return new DuetError({ code: "timeout", text: { zh: "30 秒没有回复", en: "no reply for 30 s" } });
}

/** A model that gives every answer the same mark. */
export function createJudgeModel(): Model {
  return withCall({
    provider: "fake",
    model: "judge",
    cost: () => 0.0001,
    stream: async (): Promise<Turn> => ({
      message: { role: "assistant", content: 'Here: {"reason": "it says so", "mark": 0.6}', toolCalls: [] },
      finish: "stop",
      usage: { inputTokens: 100, outputTokens: 10, reasoningTokens: 0, cachedTokens: 0 },
    }),
  });
}

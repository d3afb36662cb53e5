import { onTestFinished, vi } from "vitest";
import type { AgentEvent } from "../../../src/core/run/events.ts";
import type { Outcome } from "../../../src/core/run/outcome.ts";
import { createDuet, type DuetOptions, type EmbeddedDuet } from "../../../src/index.ts";
import { isRecord } from "../../../src/kit/json.ts";
import { outcomeOf } from "../../fakes/events.ts";
import type { Finished, ProgramOptions } from "../../fakes/program.ts";
import { type FakeProvider, type JournalEntry, startFakeProvider } from "../../fakes/provider.ts";
import { type FakeResult, type FakeSearch, startFakeSearch } from "../../fakes/search.ts";
import { runWarmProgram as runProgram } from "../../fakes/warm-program.ts";

/** What the search server finds, whatever it is asked. */
export const pages: FakeResult[] = [
  { title: "上海天气预报", url: "https://tianqi.example/shanghai", content: "明天多云，东南风三级。" },
  { title: "一周气温", url: "https://qiwen.example/week", content: "明天最高气温 24 度，最低 17 度。" },
  { title: "空气质量", url: "https://kongqi.example/aqi", content: "空气质量指数 42，优。" },
  { title: "出行建议", url: "https://chuxing.example/tips", content: "适合户外活动。" },
];

const keys = { OPENAI_API_KEY: "sk-test-openai-0001", ANTHROPIC_API_KEY: "sk-test-anthropic-0002" };

/** Two models on two wires, and a search server: where nearly every scenario begins. */
export interface Scene {
  provider: FakeProvider;
  search: FakeSearch;
  /** For the program: `cheap` on OpenAI's wire decides, `strong` on Anthropic's answers, the texts are Chinese. */
  env: Record<string, string>;
}

export async function setScene(): Promise<Scene> {
  const [provider, search] = await Promise.all([startFakeProvider(), startFakeSearch({ "*": pages })]);
  onTestFinished(async () => void (await Promise.all([provider.close(), search.close()])));
  const env = {
    AGENT_FUNCTION_CALL_MODEL: JSON.stringify({ provider: "openai", model: "cheap", base_url: provider.openaiUrl }),
    AGENT_ANSWER_MODEL: JSON.stringify({ provider: "anthropic", model: "strong", base_url: provider.anthropicUrl }),
    SEARXNG_URL: search.url,
    LANG: "zh_CN.UTF-8",
    ...keys,
  };
  return { provider, search, env };
}

/** Two searches, each with a thought before it, and an answer that cites. */
export function scriptTwoSearches(provider: FakeProvider): void {
  provider.script(
    "cheap",
    { text: "天气是实时数据，用 web_search 查上海明天的预报。", toolCalls: [searchFor("上海 明天 天气预报")] },
    { text: "预报里没有气温，再查一次具体气温。", toolCalls: [searchFor("上海 明天 最高气温")] },
    { text: "结果已经足够。" },
  );
  provider.script("strong", { text: "上海明天多云[1]，最高 24 度[2]。" });
}

export const question = "上海明天天气怎么样？";

export function searchFor(query: string) {
  return { name: "web_search", arguments: { query } };
}

export function calculate(expression: string) {
  return { name: "calculator", arguments: { expression } };
}

/** `duet ask` as a person sees it. */
export function ask(scene: Scene, asked: string, args: string[] = [], options: ProgramOptions = {}): Promise<Finished> {
  return runProgram(["ask", asked, ...args], { ...options, env: { ...scene.env, ...options.env } });
}

export interface Heard extends Finished {
  events: AgentEvent[];
  outcome: Outcome;
}

/** `duet ask --output jsonl`. */
export async function hear(
  scene: Scene,
  asked: string,
  args: string[] = [],
  options: ProgramOptions = {},
): Promise<Heard> {
  const finished = await ask(scene, asked, [...args, "--output", "jsonl"], options);
  const events = eventsIn(finished.stdout);
  return { ...finished, events, outcome: outcomeOf(events) };
}

/** The whole lines of a `jsonl` output so far. */
export function eventsIn(stdout: string): AgentEvent[] {
  const lines = stdout.split("\n").slice(0, -1);
  return lines.map((line): AgentEvent => JSON.parse(line));
}

/** The same two models by name, for a program that embeds Duet. */
export function modelsOf({ provider }: Scene) {
  return {
    cheap: { provider: "openai", model: "cheap", baseUrl: provider.openaiUrl },
    strong: { provider: "anthropic", model: "strong", baseUrl: provider.anthropicUrl },
  };
}

/** Such a program: `cheap` decides and `strong` answers, unless stated otherwise. */
export async function embed(scene: Scene, options: DuetOptions = {}): Promise<EmbeddedDuet> {
  for (const [name, value] of Object.entries(keys)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { cheap, strong } = modelsOf(scene);
  const duet = await createDuet({
    models: { functionCall: cheap, answer: strong },
    ...options,
    config: { search: { searxng: { url: scene.search.url } }, locale: "zh", ...options.config },
  });
  onTestFinished(() => duet.close());
  return duet;
}

/** One question to it, with its events. */
export async function follow(
  duet: EmbeddedDuet,
  asked: string,
  options: Parameters<EmbeddedDuet["stream"]>[1] = {},
): Promise<{ events: AgentEvent[]; outcome: Outcome }> {
  const events = await Array.fromAsync(duet.stream(asked, options));
  return { events, outcome: outcomeOf(events) };
}

export function request({ provider }: Scene, model: "cheap" | "strong", position = 0): JournalEntry {
  const entry = provider.requests(model).at(position);
  if (!entry) throw new Error(`no request ${position} to ${model}`);
  return entry;
}

/** All that a request tells its model, the tools aside, as JSON. */
export function told({ body }: JournalEntry): string {
  return JSON.stringify([body.system, body.messages]);
}

/** The tools that a request offers, in OpenAI's form. */
export function offered({ body }: JournalEntry): Record<string, unknown>[] {
  const tools: unknown[] = Array.isArray(body.tools) ? body.tools : [];
  return tools.flatMap((tool) => (isRecord(tool) && isRecord(tool.function) ? [tool.function] : []));
}

/** The text of the last message, and of the system prompt, as that wire has them. */
export function lastMessage({ body }: JournalEntry): string {
  const messages: unknown[] = Array.isArray(body.messages) ? body.messages : [];
  const last = messages.at(-1);
  return isRecord(last) ? plain(last.content) : "";
}

export function systemPrompt({ body }: JournalEntry): string {
  const messages: unknown[] = Array.isArray(body.messages) ? body.messages : [];
  const [first] = messages;
  if (body.system !== undefined) return plain(body.system);
  return isRecord(first) && first.role === "system" ? plain(first.content) : "";
}

/** A content that is a text, or blocks of it; results of tools hold contents of their own. */
function plain(content: unknown): string {
  if (!Array.isArray(content)) return String(content);
  return content.map((block: unknown) => (isRecord(block) ? plain(block.text ?? block.content ?? "") : "")).join("");
}

/** Those of the parts that stand in the text, each behind the one before it. */
export function inOrder(text: string, parts: readonly string[]): string[] {
  let from = 0;
  return parts.filter((part) => {
    const at = text.indexOf(part, from);
    if (at >= 0) from = at + part.length;
    return at >= 0;
  });
}

/** Work that several tests look at, done once, by the first of them. */
export function once<T>(work: () => Promise<T>): () => Promise<T> {
  let begun: Promise<T> | undefined;
  return () => {
    begun ??= work();
    return begun;
  };
}

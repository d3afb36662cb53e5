import { onTestFinished } from "vitest";
import { type FakeProvider, type JournalEntry, startFakeProvider } from "../../fakes/provider.ts";
import { type FakeSearch, startFakeSearch } from "../../fakes/search.ts";
import { startTerminal, type Terminal, type TerminalOptions } from "../../fakes/terminal.ts";

/** A chat in a terminal, the vendors and the web that it reaches, and what its screen showed on the way. */
export interface Session {
  terminal: Terminal;
  provider: FakeProvider;
  search: FakeSearch;
}

export interface SessionOptions extends TerminalOptions {
  args?: string[];
}

/** `duet` as somebody starts it who has keys of DeepSeek and OpenAI, speaks Chinese and has chosen nothing else. */
export async function openSession({ args = [], ...options }: SessionOptions = {}): Promise<Session> {
  const [provider, search] = await Promise.all([startFakeProvider(), startFakeSearch({ "*": [page] })]);
  onTestFinished(async () => void (await Promise.all([provider.close(), search.close()])));
  const env = {
    DEEPSEEK_API_KEY: "sk-test-deepseek-0001",
    DEEPSEEK_BASE_URL: provider.openaiUrl,
    OPENAI_API_KEY: "sk-test-openai-0001",
    OPENAI_BASE_URL: provider.openaiUrl,
    SEARXNG_URL: search.url,
    LANG: "zh_CN.UTF-8",
    TERM: "xterm-256color",
    ...options.env,
  };
  const terminal = await startTerminal(args, { ...options, env });
  return { terminal, provider, search };
}

const page = { title: "上海天气预报", url: "https://tianqi.example/shanghai", content: "明天多云。" };

/** What a request tells its model, as JSON. */
export function toldTo(provider: FakeProvider, model: string, position: number): string {
  return JSON.stringify(requestTo(provider, model, position).body.messages);
}

export function requestTo(provider: FakeProvider, model: string, position = 0): JournalEntry {
  const entry = provider.requests(model).at(position);
  if (!entry) throw new Error(`no request ${position} to ${model}`);
  return entry;
}

/** How often a part stands in a text. */
export function count(text: string, part: string): number {
  return text.split(part).length - 1;
}

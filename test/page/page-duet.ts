import { afterAll } from "vitest";
import type { DuetOverrides } from "../../src/app/ask/ask-request.ts";
import type { Duet } from "../../src/app/duet.ts";
import { openDuet } from "../../src/app/open-duet.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { serveDuetOverHttp } from "../../src/server/http/serve-duet.ts";
import { type FakeProvider, startFakeProvider } from "../fakes/provider.ts";
import { type FakeResult, type FakeSearch, startFakeSearch } from "../fakes/search.ts";

export interface PageDuet {
  readonly origin: string;
  readonly duet: Duet;
  /** `openai/cheap` decides, `anthropic/strong` answers; `deepseek/...` is there to be chosen. */
  readonly provider: FakeProvider;
  readonly search: FakeSearch;
}

/** What the search server finds, whatever it is asked. */
export const pages: FakeResult[] = [
  { title: "上海天气预报", url: "https://tianqi.example/shanghai", content: "明天多云，东南风三级。" },
  { title: "一周气温", url: "https://qiwen.example/week", content: "明天最高气温 24 度，最低 17 度。" },
  { title: "空气质量", url: "https://kongqi.example/aqi", content: "空气质量指数 42，优。" },
  { title: "出行建议", url: "https://chuxing.example/tips", content: "适合户外活动。" },
];

export interface PageDuetOptions {
  settings?: Record<string, unknown>;
  environment?: Record<string, string>;
  tools?: DuetOverrides["tools"];
  /** Is the configuration file, which the operator's view can change. */
  config?: string;
}

/** All that `serve --http` serves, in this process, with two models and a search that are real servers; ended with the file. */
export async function startPageDuet(options: PageDuetOptions = {}): Promise<PageDuet> {
  const [provider, search] = await Promise.all([startFakeProvider(), startFakeSearch({ "*": pages })]);
  const environment = {
    DEFAULT_MODE: "agent",
    AGENT_FUNCTION_CALL_MODEL: JSON.stringify({ provider: "openai", model: "cheap" }),
    AGENT_ANSWER_MODEL: JSON.stringify({ provider: "anthropic", model: "strong" }),
    OPENAI_API_KEY: "sk-test-openai-0001",
    OPENAI_BASE_URL: provider.openaiUrl,
    ANTHROPIC_API_KEY: "sk-test-anthropic-0002",
    ANTHROPIC_BASE_URL: provider.anthropicUrl,
    DEEPSEEK_API_KEY: "sk-test-deepseek-0003",
    DEEPSEEK_BASE_URL: provider.openaiUrl,
    // Nobody listens there.
    OLLAMA_BASE_URL: "http://127.0.0.1:9/v1",
    SEARXNG_URL: search.url,
    ...options.environment,
  };
  // A title is asked of the model that decides, which would take an answer that a test has written for it.
  const settings = { conversations: { store: "memory", titles: false }, locale: "zh", ...options.settings };
  const config = await loadConfig({ config: options.config }, environment, "/nowhere", { name: "test", settings });
  const duet = await openDuet(config, options.tools === undefined ? {} : { tools: options.tools });
  const over = new AbortController();
  const listening = Promise.withResolvers<string>();
  const served = serveDuetOverHttp({
    duet,
    config,
    address: "127.0.0.1:0",
    log(line) {
      const url = /http:\/\/127\.0\.0\.1:\d+(?=\/mcp)/.exec(line)?.[0];
      if (url) listening.resolve(url);
    },
    signal: over.signal,
  });
  served.catch(listening.reject);
  const origin = await listening.promise;
  afterAll(async () => {
    over.abort();
    await served;
    await duet.close();
    await Promise.all([provider.close(), search.close()]);
  });
  return { origin, duet, provider, search };
}

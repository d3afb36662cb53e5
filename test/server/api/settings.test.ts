import { expect, test } from "vitest";
import { loadConfig } from "../../../src/config/load-config.ts";
import { mapLimits, offeredLimits } from "../../../src/core/limits/limits.ts";
import type { SettingsJson } from "../../../src/core/schemas/settings-schema.ts";
import { waitAbortable } from "../../../src/kit/async/timeout.ts";
import { version } from "../../../src/kit/version.ts";
import { createSettingsRoute } from "../../../src/server/api/settings.ts";
import { startHttpDuet } from "../../fakes/http-duet.ts";
import { startHttpFace } from "../../fakes/http-interface.ts";
import { scriptedModel } from "../../fakes/model.ts";
import { serveCallers } from "./api-for-callers.ts";

/** Holds the limits that a question may change, so that a new one needs no line in the test below. */
const offeredDefaults = mapLimits(
  offeredLimits,
  ({ ask }) => ask,
  (row) => row.default,
);

async function settingsAt(url: string): Promise<SettingsJson> {
  return JSON.parse(await (await fetch(new URL("/agent/settings", url))).text());
}

test("what a question is run with is told, with what it may choose from", async () => {
  const { origin } = await startHttpDuet({
    settings: {
      agent: { maxToolCalls: 7, maxExecutionTime: 90 },
      models: {
        functionCall: { provider: "deepseek", model: "deepseek-chat", temperature: 0 },
        answer: { provider: "openai", model: "gpt-x", topP: 0.5, maxTokens: 300 },
      },
      search: { enabled: true, searxng: { url: "http://127.0.0.1:9" } },
    },
    environment: { DEEPSEEK_API_KEY: "sk-test-1", OPENAI_API_KEY: "sk-test-2" },
    models: {},
  });
  const { choices, attachments, ...told } = await settingsAt(origin);
  // What fits into the body of a request, of which base64 takes a third more.
  expect(attachments).toMatchObject({
    max_files: 20,
    max_file_bytes: 20_000_000,
    max_bytes: 25_116_672,
    max_body_bytes: 33_554_432,
  });
  expect(attachments.kinds.map(({ kind }) => kind)).toEqual(["image", "pdf", "word", "excel", "text"]);
  expect(told).toEqual({
    version,
    locale: "en",
    agents: [],
    keep_history: false,
    modes: ["agent", "plan", "chat"],
    mode: "agent",
    start_mode: "chat",
    titles: true,
    operator: false,
    undo_s: 30,
    models: { function_call: "deepseek/deepseek-chat", answer: "openai/gpt-x" },
    parameters: {
      function_call: { temperature: 0, max_tokens: 2000 },
      answer: { temperature: 0.7, top_p: 0.5, max_tokens: 300 },
    },
    search: { available: true, enabled: true, reason: null },
    limits: { ...offeredDefaults, max_iterations: 5, max_tool_calls: 7, max_tokens: 2000, timeout_s: 90 },
  });
  expect(choices.slice(0, 2)).toEqual(["deepseek/deepseek-chat", "openai/gpt-x"]);
  expect(choices).toContain("deepseek/deepseek-reasoner");
  expect(choices).toContain("offline");
});

test("the offline rules are named as they are chosen, and no search is told where there is none", async () => {
  const settings = { models: { functionCall: { provider: "offline" } }, search: { enabled: false } };
  const { origin } = await startHttpDuet({ models: {}, settings });
  const told = await settingsAt(origin);
  expect(told).toMatchObject({
    models: { function_call: "offline", answer: "offline" },
    parameters: { function_call: {}, answer: {} },
    search: { available: false, enabled: false, reason: "off" },
  });
  expect(told.choices).toContain("offline");
});

test("a person's chat starts in DEFAULT_MODE, which a question that names no mode does not follow", async () => {
  const { origin } = await startHttpDuet({ environment: { DEFAULT_MODE: "plan" } });
  expect(await settingsAt(origin)).toMatchObject({ mode: "agent", start_mode: "plan" });
});

test("the operator alone is told that the operator's view is open, and nobody where it is off", async () => {
  for (const operator of ["off", "local"] as const) {
    const { origin } = await startHttpDuet({ settings: { serve: { http: { operator } } } });
    expect(await settingsAt(origin)).toMatchObject({ operator: operator === "local" });
    const passedOn = await fetch(`${origin}/agent/settings`, { headers: { "x-forwarded-for": "203.0.113.9" } });
    expect(await passedOn.json()).toMatchObject({ operator: false });
  }
});

test("where nobody could be asked, the search is said to lack a service", async () => {
  const { origin } = await startHttpDuet({ settings: { search: { enabled: true, keyless: false } } });
  expect((await settingsAt(origin)).search).toEqual({ available: false, enabled: false, reason: "no_service" });
});

test("who may not search is told so", async () => {
  const { call } = await serveCallers(scriptedModel([]), [{ owner: "ben", tools: ["calculator"] }]);
  expect(await (await call("/agent/settings", "anna")).json()).toMatchObject({ search: { available: true } });
  const barred = { available: false, reason: "not_permitted" };
  expect(await (await call("/agent/settings", "ben")).json()).toMatchObject({ search: barred });
});

test("models that do not come in time leave those in force", async () => {
  const { service } = await serveCallers(scriptedModel([]));
  const listNames = (signal?: AbortSignal) => waitAbortable(new Promise<string[]>(() => {}), signal);
  Object.assign(service.duet.models, { listNames });
  const config = await loadConfig({}, {}, "/nowhere", { name: "test", settings: {} });
  const route = createSettingsRoute(service, config, 1);
  const { url } = await startHttpFace({ routes: { "/agent/settings": route } });
  const told = await settingsAt(url);
  expect(told.choices).toEqual(["fake/scripted"]);
});

import { createServer } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import type { DuetOverrides } from "../../../src/app/ask/ask-request.ts";
import type { Duet } from "../../../src/app/duet.ts";
import type { ModelChanges } from "../../../src/app/models/change-models.ts";
import { openDuet } from "../../../src/app/open-duet.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import { toModelName } from "../../../src/core/model/model.ts";
import { scriptedModel } from "../../fakes/model.ts";
import { configFile, temporaryFolder } from "../../fakes/program.ts";
import { startFakeProvider } from "../../fakes/provider.ts";

const keys = { DEEPSEEK_API_KEY: "sk-test-deepseek-0001", ANTHROPIC_API_KEY: "sk-test-anthropic-0002" };
const chat = { provider: "deepseek", model: "deepseek-chat" };
const claude = { provider: "anthropic", model: "claude-sonnet-5-5" };

interface Place {
  models?: object;
  settings?: object;
  environment?: Record<string, string>;
  parts?: DuetOverrides;
}

async function open({
  models = { functionCall: chat },
  settings,
  environment = keys,
  parts,
}: Place = {}): Promise<Duet> {
  const home = await temporaryFolder();
  const file = await configFile({ locale: "en", models, ...settings });
  const nobody = "http://127.0.0.1:1/v1";
  const nothingThere = { OLLAMA_BASE_URL: nobody, DEEPSEEK_BASE_URL: nobody, ANTHROPIC_BASE_URL: nobody };
  const config = await loadConfig({ config: file }, { HOME: home, DUET_HOME: home, ...nothingThere, ...environment });
  const duet = await openDuet(config, parts);
  onTestFinished(() => duet.close());
  return duet;
}

async function namesOf(duet: Duet, changes?: ModelChanges): Promise<string[]> {
  const { functionCall, answer } = await duet.models.open(changes);
  return functionCall === answer ? [toModelName(answer)] : [toModelName(functionCall), toModelName(answer)];
}

describe("what is changed of the models", () => {
  test("is one role, or both where one model plays them; the rest stays the same object", async () => {
    const one = await open();
    expect(await namesOf(one)).toEqual(["deepseek/deepseek-chat"]);
    expect(await namesOf(one, { functionCall: "deepseek/deepseek-reasoner" })).toEqual(["deepseek/deepseek-reasoner"]);
    expect(await namesOf(one, { answer: "anthropic" })).toEqual([
      "deepseek/deepseek-chat",
      "anthropic/claude-sonnet-5-5",
    ]);
    const [before, now] = [await one.models.open(), await one.models.open({ answer: "anthropic/claude-opus-5" })];
    expect(now.functionCall).toBe(before.functionCall);
    expect(await one.models.open({})).toEqual(before);

    const two = await open({ models: { functionCall: chat, answer: claude } });
    const changed = await two.models.open({ functionCall: "offline" });
    expect(changed.answer).toBe((await two.models.open()).answer);
    expect(await namesOf(two, { answer: null })).toEqual(["deepseek/deepseek-chat"]);
    expect(await namesOf(two, { functionCall: "anthropic/claude-sonnet-5-5" })).toEqual([
      "anthropic/claude-sonnet-5-5",
    ]);
  });

  test("may be the name of a configured model, which keeps its address, its key and its parameters for whichever role", async () => {
    const provider = await startFakeProvider();
    onTestFinished(() => provider.close());
    provider.script("tuned", { text: "At its own address." });
    const tuned = { provider: "openai", model: "tuned", baseUrl: provider.openaiUrl, apiKeyEnv: "DEEPSEEK_API_KEY" };
    const duet = await open({ models: { functionCall: { ...tuned, temperature: 0 }, answer: claude } });
    const before = await duet.models.open();
    expect((await duet.models.open({ functionCall: "openai/tuned" })).functionCall).toBe(before.functionCall);
    const models = await duet.models.open({ answer: "openai/tuned" });
    expect(models).toEqual({ functionCall: before.functionCall, answer: before.functionCall });
    expect(await duet.models.getParameters({ answer: "openai/tuned" })).toMatchObject({ answer: { temperature: 0 } });
    const events = await Array.fromAsync(duet.ask({ question: "Hello", mode: "chat", models }));
    expect(events.at(-1)).toMatchObject({ outcome: { response: "At its own address." } });
    const json = { functionCall: '{"provider":"openai","model":"tuned"}' };
    expect(await duet.models.getParameters(json)).toMatchObject({ functionCall: { temperature: 0.7 } });
  });

  test("may be the JSON of the variable, whose parameters count", async () => {
    const duet = await open();
    const functionCall = '{"provider":"deepseek","model":"deepseek-chat","temperature":0.3,"max_tokens":500}';
    expect(await duet.models.getParameters({ functionCall })).toEqual({
      functionCall: { temperature: 0.3, maxTokens: 500, topP: undefined },
      answer: { temperature: 0.3, maxTokens: 500, topP: undefined },
    });
    expect(await duet.models.getParameters()).toMatchObject({ answer: { temperature: 0.7, maxTokens: 2000 } });
    expect(await duet.models.getParameters({ functionCall: "offline" })).toEqual({ functionCall: {}, answer: {} });
  });

  test("may be parameters; where one model plays both parts those of the answer count", async () => {
    const one = await open();
    const parameters = { functionCall: { temperature: 0 }, answer: { temperature: 1.5, topP: 0.5 } };
    expect(await one.models.getParameters({ parameters })).toMatchObject({
      functionCall: { temperature: 1.5, topP: 0.5 },
    });
    const changed = await one.models.open({ parameters });
    expect(changed.functionCall).toBe(changed.answer);
    expect(await one.models.open({ parameters })).toEqual(changed);
    const two = await open({ models: { functionCall: chat, answer: claude } });
    expect(await two.models.getParameters({ parameters: { functionCall: { maxTokens: 100 } } })).toMatchObject({
      functionCall: { maxTokens: 100 },
      answer: { maxTokens: 2000 },
    });
  });

  test.each<[ModelChanges, string]>([
    [{ functionCall: "nobody/x" }, 'function_call.provider: "nobody" is not allowed (allowed: deepseek, openai,'],
    [{ functionCall: "/x" }, 'function_call: "/x" is not allowed (allowed: provider, provider/model, or a JSON object'],
    [{ functionCall: "{" }, "function_call: { is not valid JSON"],
    [{ answer: '{"provider":"openai","heat":1}' }, "answer: heat: unknown key"],
    [{ functionCall: '{"provider":"deepseek","temperature":2}' }, "function_call: temperature: 2 is not allowed"],
    [
      { answer: '{"provider":"anthropic","temperature":1.5}' },
      "answer.temperature: 1.5 is not allowed (allowed: a number, 0 <= temperature <= 1",
    ],
    [
      { parameters: { answer: { temperature: 2 } } },
      "temperature: 2 is not allowed (allowed: a number, 0 <= temperature < 2",
    ],
    [{ parameters: { answer: { topP: 0 } } }, "top_p: 0 is not allowed (allowed: a number, 0 < top_p <= 1"],
    [
      { parameters: { answer: { maxTokens: 0.5 } } },
      "max_tokens: 0.5 is not allowed (allowed: an integer of at least 1)",
    ],
    [
      { answer: "anthropic", parameters: { answer: { temperature: 1.5 } } },
      "answer.temperature: 1.5 is not allowed (allowed: a number, 0 <= temperature <= 1",
    ],
  ])("%j is refused in one line that shows the value and what is allowed", async (changes, line) => {
    const duet = await open();
    await expect(duet.models.open(changes)).rejects.toMatchObject({
      code: "config",
      message: expect.stringContaining(line),
    });
  });

  test("leaves those in force the same objects, however much is tried out between two looks at them", async () => {
    const duet = await open({ models: { functionCall: chat, answer: claude } });
    const before = await duet.models.open();
    for (const maxTokens of Array.from({ length: 30 }, (_, index) => index + 1)) {
      await duet.models.open({ parameters: { answer: { maxTokens } } });
      await duet.models.open();
    }
    const now = await duet.models.open();
    expect(now.functionCall).toBe(before.functionCall);
    expect(now.answer).toBe(before.answer);
  });

  test("is what is checked, too", async () => {
    const duet = await open({ environment: {} });
    const { signal } = new AbortController();
    expect(await duet.models.check(signal)).toMatchObject([{ choice: chat, error: { code: "auth" } }]);
    const checks = await duet.models.check(signal, { functionCall: "offline" });
    expect(checks).toMatchObject([{ choice: { provider: "offline" }, error: null }]);
  });

  test("is told without the key that somebody typed", async () => {
    const duet = await open();
    const wrong = duet.models.open({ functionCall: `{"provider":"deepseek","api_key":"${keys.DEEPSEEK_API_KEY}"}` });
    await expect(wrong).rejects.toThrow("api_key");
    await expect(wrong).rejects.not.toThrow(keys.DEEPSEEK_API_KEY);
  });

  test("leaves an embedding program its own models, and their parameters to it", async () => {
    const [cheap, strong] = [scriptedModel([], "cheap"), scriptedModel([], "strong")];
    const one = await open({ parts: { models: { functionCall: cheap, alone: true } } });
    expect(await namesOf(one)).toEqual(["fake/cheap"]);
    expect(await namesOf(one, { functionCall: "deepseek/deepseek-chat" })).toEqual(["deepseek/deepseek-chat"]);
    expect(await namesOf(one, { answer: "deepseek/deepseek-chat" })).toEqual(["fake/cheap", "deepseek/deepseek-chat"]);
    await expect(one.models.open({ parameters: { answer: { temperature: 0 } } })).rejects.toThrow(
      "answer: fake/cheap is provided by the program",
    );
    const two = await open({ parts: { models: { functionCall: cheap, answer: strong } } });
    expect(await namesOf(two, { answer: null })).toEqual(["fake/cheap"]);
    expect((await two.models.open({ functionCall: "offline" })).answer.model).toBe("strong");
  });
});

test("a question is answered by the models that it brings, with their parameters", async () => {
  const provider = await startFakeProvider();
  onTestFinished(() => provider.close());
  provider.script("other", { text: "From the other." });
  const duet = await open({
    settings: { providers: { fake: { baseUrl: provider.openaiUrl, apiKeyEnv: "DEEPSEEK_API_KEY" } } },
  });
  const models = await duet.models.open({
    functionCall: "fake/other",
    parameters: { answer: { temperature: 0.25, maxTokens: 321 } },
  });
  const events = await Array.fromAsync(duet.ask({ question: "你好", mode: "chat", models, locale: "en" }));
  expect(events[0]).toMatchObject({ type: "run-start", models: { answer: "fake/other" } });
  expect(events.at(-1)).toMatchObject({ outcome: { status: "complete", response: "From the other." } });
  expect(provider.requests("other")[0]?.body).toMatchObject({ temperature: 0.25, max_tokens: 321 });
});

test("what a model tells of its call is in the language of the question, not in that of the program", async () => {
  const provider = await startFakeProvider();
  onTestFinished(() => provider.close());
  provider.script(
    "busy",
    { status: 503, body: "{}" },
    { text: "Here." },
    { status: 503, body: "{}" },
    { text: "Here." },
  );
  const functionCall = {
    provider: "openai",
    model: "busy",
    baseUrl: provider.openaiUrl,
    apiKeyEnv: "DEEPSEEK_API_KEY",
  };
  const duet = await open({ models: { functionCall } });
  const retried = async (locale: "zh" | "en") => {
    const events = await Array.fromAsync(duet.ask({ question: "Hello", mode: "chat", locale }));
    return events.flatMap((event) => (event.type === "notice" && event.code === "retry" ? [event.message] : []));
  };
  expect(await retried("zh")).toEqual([expect.stringMatching(/秒后重试 openai\/busy/)]);
  expect(await retried("en")).toEqual([expect.stringMatching(/openai\/busy.* again|[Rr]etry/)]);
});

describe("the names of models", () => {
  test("are those in force, then those of each vendor whose key is set, and the offline rules last", async () => {
    const duet = await open({ models: { functionCall: chat, answer: claude } });
    const names = await duet.models.listNames();
    expect(names.slice(0, 2)).toEqual(["deepseek/deepseek-chat", "anthropic/claude-sonnet-5-5"]);
    expect(names).toEqual(expect.arrayContaining(["deepseek/deepseek-reasoner", "anthropic/claude-opus-5-5"]));
    expect(names.filter((name) => /^(openai|gemini|qwen|ollama)\//.test(name))).toEqual([]);
    const dated = names.filter((name) => /-\d{8}$/.test(name));
    expect(dated.filter((name) => names.includes(name.slice(0, -"-20260102".length)))).toEqual([]);
    expect([names.at(-1), new Set(names).size]).toEqual(["offline", names.length]);
  });

  test("are the offline rules alone where there is nothing else, and three hundred of one vendor at most", async () => {
    expect(await (await open({ models: {}, environment: {} })).models.listNames()).toEqual(["offline"]);
    const ids = Array.from({ length: 400 }, (_, index) => ({ id: `local-${index}` }));
    const server = createServer((_, response) => void response.end(JSON.stringify({ data: ids })));
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const environment = { ...keys, OLLAMA_BASE_URL: `http://127.0.0.1:${port}/v1` };
    const names = await (await open({ environment })).models.listNames();
    expect(names.filter((name) => name.startsWith("ollama/"))).toHaveLength(300);
    expect(names).toEqual(expect.arrayContaining(["ollama/local-0", "deepseek/deepseek-chat", "offline"]));
  });
});

test("a conversation of a caller is compacted in the caller's own store", async () => {
  const model = scriptedModel(["One.", "Two.", "The summary."]);
  const duet = await open({ parts: { models: { functionCall: model, alone: true } } });
  const caller = { owner: "anna" };
  const [first] = await Array.fromAsync(duet.ask({ question: "One?", mode: "chat", caller }));
  const conversationId = first?.type === "run-start" ? first.conversationId : "";
  await Array.fromAsync(duet.ask({ question: "Two?", mode: "chat", caller, conversationId }));
  const { signal } = new AbortController();
  await expect(duet.compact({ conversationId, signal })).rejects.toThrow("nothing to compact");
  expect(await duet.compact({ conversationId, caller, signal })).toMatchObject({ turns: 1 });
  const kept = await (await duet.store(caller)).load(conversationId);
  expect(kept?.summary).toEqual({ text: "The summary.", turns: 1, isWanted: true });
});

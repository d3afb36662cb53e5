import { readdir } from "node:fs/promises";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";
import { createMemoryStore } from "../../src/store/memory/memory-store.ts";
// Imported by `createDuet` when it is first called: that is not to count against the first test.
import "../../src/app/create-duet.ts";
import { createDuet, type DuetOptions, defineTool, type EmbeddedDuet } from "../../src/index.ts";
import { scriptedModel, withoutDay } from "../fakes/model.ts";
import { temporaryFolder } from "../fakes/program.ts";
import { type FakeProvider, startFakeProvider } from "../fakes/provider.ts";

const weather = defineTool({
  name: "weather_of",
  description: "The weather of a city.",
  inputSchema: z.object({ city: z.string(), unit: z.enum(["C", "F"]).default("C") }),
  run: ({ city, unit }) => ({ city, degrees: 21, unit }),
});

// Keys come from the process's environment, as on the command line.
beforeEach(() => {
  vi.stubEnv("LOCAL_KEY", "sk-test-openai-0001");
  vi.stubEnv("REMOTE_KEY", "sk-ant-test-0001");
  return () => vi.unstubAllEnvs();
});

async function create(options: DuetOptions): Promise<EmbeddedDuet> {
  const duet = await createDuet({
    ...options,
    config: { search: { enabled: false }, locale: "en", ...options.config },
  });
  onTestFinished(() => duet.close());
  return duet;
}

/** Two models on two wires, by their names in the program's own code. */
async function twoModels(provider: FakeProvider): Promise<NonNullable<DuetOptions["models"]>> {
  onTestFinished(() => provider.close());
  return {
    functionCall: { provider: "local", model: "cheap" },
    answer: { provider: "remote", model: "strong" },
  };
}

function providersOf(provider: FakeProvider) {
  return {
    local: { wire: "openai-chat" as const, baseUrl: provider.openaiUrl, apiKeyEnv: "LOCAL_KEY" },
    remote: { wire: "anthropic-messages" as const, baseUrl: provider.anthropicUrl, apiKeyEnv: "REMOTE_KEY" },
  };
}

test("a question goes through two models and a tool of the program's own", async () => {
  const provider = await startFakeProvider();
  const models = await twoModels(provider);
  provider.script("cheap", { toolCalls: [{ name: "weather_of", arguments: { city: "Rome" } }] }, { text: "Enough." });
  provider.script("strong", { text: "21 degrees in Rome." });
  const duet = await create({ models, tools: [weather], config: { providers: providersOf(provider) } });
  const outcome = await duet.ask("How warm is it in Rome?");
  expect(outcome).toMatchObject({ status: "complete", response: "21 degrees in Rome." });
  // The schema's default is filled in.
  expect(outcome.tool_calls).toMatchObject([{ tool: "weather_of", result: '{"city":"Rome","degrees":21,"unit":"C"}' }]);
});

test("models of the program's own making play both parts, or one beside a configured one", async () => {
  const alone = scriptedModel(["Just me."]);
  const duet = await create({ models: { functionCall: alone } });
  expect((await duet.ask("Who is there?")).response).toBe("Just me.");

  const provider = await startFakeProvider();
  const { answer } = await twoModels(provider);
  provider.script("strong", { text: "And me." });
  const mixed = await create({
    models: { functionCall: scriptedModel(["Enough."]), answer },
    config: { providers: providersOf(provider) },
  });
  expect((await mixed.ask("Who is there?")).response).toBe("And me.");
});

test("an answer is the object that a schema describes, as JSON Schema or Zod", async () => {
  const written = '{"city":"Rome","degrees":21,"note":null}';
  const model = scriptedModel(["Warm.", written, "Warm.", written]);
  const duet = await create({ models: { functionCall: model } });
  const zod = z.object({ city: z.string(), degrees: z.number(), note: z.string().optional() });
  const { $schema: _, ...schema } = z.toJSONSchema(zod);
  for (const outputSchema of [zod, schema]) {
    const outcome = await duet.ask("How warm is it in Rome?", { outputSchema });
    expect(outcome).toMatchObject({ status: "complete", output: { city: "Rome", degrees: 21 } });
    expect(outcome.response).toBe('{"city":"Rome","degrees":21}');
  }
  await expect(duet.ask("How warm?", { outputSchema: { type: "string" } })).rejects.toThrow(
    'ask: outputSchema: {"type": "string"} does not describe an object',
  );
  // What a program in JavaScript may give.
  const { ask }: { ask(question: string, options: unknown): Promise<unknown> } = duet;
  await expect(ask("How warm?", { outputSchema: "city" })).rejects.toThrow(/^ask: outputSchema: "city" /);
});

test("an evaluator given as an argument ends the tool calls", async () => {
  const functionCall = scriptedModel([[{ id: "1", name: "weather_of", input: { city: "Rome" } }]]);
  const duet = await create({
    models: { functionCall, answer: scriptedModel(["Warm."]) },
    tools: [weather],
    evaluator: ({ results }) => (results.every(({ ok }) => ok) ? { verdict: "answer", reason: "known" } : undefined),
  });
  expect((await duet.ask("Rome?")).meta.iterations).toBe(1);
});

test("a Zod schema's own rules are told to the model as wrong arguments, and nothing runs", async () => {
  let ran = 0;
  const even = defineTool({
    name: "half",
    description: "Half of an even number.",
    inputSchema: z.object({ of: z.object({ n: z.number().refine((n) => n % 2 === 0, "must be even") }) }),
    run: ({ of: { n } }) => {
      ran++;
      return n / 2;
    },
  });
  const functionCall = scriptedModel([[{ id: "1", name: "half", input: { of: { n: 3 } } }], "No."]);
  const duet = await create({ models: { functionCall }, tools: [even] });
  const { tool_calls } = await duet.ask("Half of 3?");
  expect(tool_calls[0]).toMatchObject({ ok: false, result: expect.stringContaining("- of.n: must be even") });
  expect(ran).toBe(0);
});

test("the mode of the configuration is that of a question that names none", async () => {
  const model = scriptedModel(["Hello."]);
  const duet = await create({ models: { functionCall: model }, config: { agent: { mode: "chat" } } });
  const { meta } = await duet.ask("Hello?");
  expect(meta.mode).toBe("chat");
});

test("a store of the program's own stays open when Duet closes", async () => {
  let closed = 0;
  const store = { ...createMemoryStore(), close: async () => void closed++ };
  const duet = await create({ models: { functionCall: scriptedModel(["One."]) }, store });
  const { conversation_id } = await duet.ask("First?");
  await duet.close();
  expect(closed).toBe(0);
  expect((await store.load(conversation_id))?.turns).toHaveLength(1);
});

test("a configuration that only mentions conversations keeps them in memory too", async () => {
  const home = await temporaryFolder();
  vi.stubEnv("DUET_HOME", home);
  const duet = await create({ models: { functionCall: scriptedModel(["One."]) }, config: { conversations: {} } });
  await duet.ask("First?");
  expect(await readdir(home)).toEqual([]);
});

test("embedded settings may name a model in one text, as the file does", async () => {
  const config = { models: { functionCall: "offline", answer: "offline" } };
  const duet = await create({ config });
  expect(await duet.ask("What is 1 + 1?")).toMatchObject({ status: "complete" });
});

test("the stream gives every event, and leaving it cancels the run", async () => {
  const functionCall = scriptedModel([{ text: "x".repeat(300), hang: true }]);
  const duet = await create({ models: { functionCall } });
  const types: string[] = [];
  for await (const event of duet.stream("Count.")) {
    types.push(event.type);
    if (event.type === "answer-delta") break;
  }
  expect(types).toEqual(["run-start", "phase-start", "answer-delta"]);
});

test("conversations stay in memory, go on by their id, and leave a trace", async () => {
  const model = scriptedModel(["One.", "Two."]);
  const duet = await create({ models: { functionCall: model } });
  const { conversation_id } = await duet.ask("First?");
  const second = await duet.ask("Second?", { conversationId: conversation_id });
  const said = model.requests[1]?.messages.map(({ content }) => withoutDay(String(content))).slice(1);
  expect(said).toEqual(["First?", "One.", "Second?"]);
  const store = await duet.store();
  expect((await store.trace(second.run_id))?.final_answer).toBe("Two.");
});

test("a tool takes the place of a built-in one of its name", async () => {
  const echo = defineTool({
    name: "echo",
    description: "Shouts.",
    inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    run: ({ text }) => String(text).toUpperCase(),
  });
  const functionCall = scriptedModel([[{ id: "1", name: "echo", input: { text: "hey" } }], "Done."]);
  const duet = await create({ models: { functionCall }, tools: [echo] });
  expect((await duet.ask("Echo hey")).tool_calls[0]?.result).toBe("HEY");
});

test.each<[string, unknown, string]>([
  ["a text", "It rains.", "It rains."],
  ["content blocks", [{ type: "text", text: "It rains." }], "It rains."],
  ["a result in MCP's shape", { content: [{ type: "text", text: "It rains." }] }, "It rains."],
  ["any JSON value", { rain: true }, '{"rain":true}'],
  ["nothing", undefined, "createDuet: tools[0]: run returned nothing (allowed: text, JSON, MCP content blocks)"],
])("a tool may give %s", async (_, given, expected) => {
  const tool = { name: "sky", description: "The sky.", inputSchema: { type: "object" }, run: () => given };
  const functionCall = scriptedModel([[{ id: "1", name: "sky", input: {} }], "Done."]);
  const duet = await create({ models: { functionCall }, tools: [tool] });
  expect((await duet.ask("The sky?")).tool_calls[0]).toMatchObject({ ok: true, result: expected });
});

test("a tool that throws is a failed call that the model reads", async () => {
  const run = () => {
    throw new Error("no such city");
  };
  const tool = { name: "sky", description: "The sky.", inputSchema: { type: "object" }, run };
  const functionCall = scriptedModel([[{ id: "1", name: "sky", input: {} }], "Sorry."]);
  const duet = await create({ models: { functionCall }, tools: [tool] });
  expect((await duet.ask("The sky?")).tool_calls[0]).toMatchObject({ ok: false, result: "no such city" });
});

const sound = { name: "a", description: "a", inputSchema: { type: "object" }, run: () => "" };

test.each<[string, DuetOptions, string]>([
  ["a tool's name", { tools: [{ ...sound, name: "a b" }] }, "createDuet: tools[0]: name: a b is not allowed"],
  ["a name given twice", { tools: [sound, sound] }, 'createDuet: tools[1]: name: "a" is already in use'],
  ["a setting", { config: { agent: { maxIterations: 1001 } } }, "createDuet: agent.maxIterations"],
  ["a model's name", { models: { functionCall: "/x" } }, "createDuet: models.functionCall"],
  ["a provider", { models: { functionCall: "nobody/x" } }, "nobody"],
  [
    "a tool's schema",
    { tools: [{ ...sound, inputSchema: { type: "string" } }] },
    "createDuet: tools[0]: inputSchema.type",
  ],
  ["a configuration file", { configFile: "/nowhere/duet.json" }, "there is no such file"],
])("what is wrong with %s is told in one line", async (_, options, message) => {
  const failed = await createDuet(options).catch((error: unknown) => error);
  expect(failed).toMatchObject({ name: "DuetError", code: "config" });
  expect(String(failed)).toContain(message);
  expect(String(failed)).not.toContain("\n");
});

test.each<[unknown, string]>([
  [{ models: {} }, "createDuet: models.functionCall: is missing"],
  [{ models: { answer: "anthropic/claude-sonnet-5-5" } }, "createDuet: models.functionCall: is missing"],
  [{ models: { functionCall: null } }, "createDuet: models.functionCall"],
  [{ models: { functionCall: "offline", anwser: "offline" } }, "models.anwser: unknown key; did you mean answer?"],
  [{ config: { models: { functionCall: "nobody/x" } } }, "nobody"],
  [{ models: null }, "createDuet: models: null is not allowed (allowed: an object)"],
  [{ model: "deepseek" }, "createDuet: model: unknown key; did you mean models?"],
  [{ tools: weather }, "is not allowed (allowed: a list of tools)"],
  [{ tools: [null] }, "createDuet: tools[0]: null is not allowed"],
  [{ evaluator: "answer" }, 'createDuet: evaluator: "answer" is not allowed (allowed: a function)'],
  [{ configFile: 1 }, "createDuet: configFile: 1 is not allowed (allowed: a file path)"],
])("options %j, which types would refuse, are refused in one line", async (options, message) => {
  const failed = await Reflect.apply(createDuet, undefined, [options]).catch((error: unknown) => error);
  expect(failed).toMatchObject({ name: "DuetError", code: "config" });
  expect(String(failed)).toContain(message);
  expect(String(failed)).not.toContain("\n");
});

test("a conversation that the store does not have begins under the ID that a program chooses, and a notice says so", async () => {
  const model = scriptedModel(["Hello.", "Again."]);
  const duet = await create({ models: { functionCall: model } });
  const asked = { mode: "chat", conversationId: "order 7" } as const;
  const first = await duet.ask("Hi", asked);
  expect(first).toMatchObject({ conversation_id: "order 7", notices: [{ code: "conversation-unknown" }] });
  const second = await duet.ask("And now?", asked);
  expect(second).toMatchObject({ conversation_id: "order 7", response: "Again." });
  expect(second.notices).toBeUndefined();
  expect(model.requests[1]?.messages.map(({ content }) => content)).toContain("Hello.");
});

test.each<[unknown, unknown, string]>([
  ["  ", {}, 'ask: question: "  " is not allowed (allowed: a non-empty string)'],
  [undefined, {}, "ask: question: undefined is not allowed"],
  [
    "q",
    { conversationId: "" },
    'ask: conversationId: "" is not allowed (allowed: 1 to 200 characters, not all blank and none a control character)',
  ],
  ["q", { conversationId: "a\nb" }, 'ask: conversationId: "a\\nb" is not allowed'],
  ["q", { conversationId: "\u200b" }, "ask: conversationId: "],
  ["q", { conversationId: "x".repeat(201) }, 'ask: conversationId: "xxx'],
  ["q", { mode: "plam" }, 'ask: mode: "plam" is not allowed (allowed: chat, agent, plan)'],
  ["q", { tools: "echo" }, 'ask: tools: "echo" is not allowed (allowed: a list of strings)'],
  ["q", { limits: { maxExecutionTimeMs: Number.POSITIVE_INFINITY } }, "ask: limits.maxExecutionTimeMs: Infinity"],
  [
    "q",
    { limits: { maxToolCalls: 1.5 } },
    "limits.maxToolCalls: 1.5 is not allowed (allowed: a whole number from 0 to 10000)",
  ],
  [
    "q",
    { tools: ["*:readOnly"] },
    'ask: tools: "*:readOnly" is not allowed (allowed: a pattern without an annotation: what a server claims never relaxes a rule)',
  ],
  ["q", { stop: [""] }, "is not allowed (allowed: a list of non-empty strings)"],
  ["q", { toolChoice: "any" }, 'ask: toolChoice: "any" is not allowed (allowed: auto, none, required, { tool: name })'],
  ["q", { limits: { costBudget: 0 } }, "ask: limits.costBudget: 0 is not allowed (allowed: a number above 0)"],
  ["q", { limits: { repeatable: [1] } }, "ask: limits.repeatable"],
  ["q", { signal: null }, "ask: signal: null is not allowed (allowed: an AbortSignal)"],
  [
    "q",
    { signal: new AbortController() },
    "ask: signal: AbortController [Object] is not allowed (allowed: an AbortSignal)",
  ],
  ["q", { approveCall: 5 }, "ask: approveCall: 5 is not allowed (allowed: a function)"],
  ["q", { elicit: true }, "ask: elicit: true is not allowed (allowed: a function)"],
  ["q", { confirmPlan: {} }, "ask: confirmPlan: {} is not allowed (allowed: a function)"],
  ["q", { locale: new Map([..."abcdefghijklmnopqrstuvwxyz"].entries()) }, "ask: locale: Map(26) { 0 => 'a', 1 => 'b',"],
  ["q", null, "ask: null is not allowed (allowed: an object)"],
  [
    "q",
    { conversation: "conv-1" },
    "ask: conversation: unknown key; did you mean conversationId? (allowed: attachments, ",
  ],
  ["q", { resumed: {} }, "ask: resumed: unknown key (allowed: "],
  [
    "q",
    { limits: { maxIteration: 3 } },
    "ask: limits: maxIteration: unknown key; did you mean maxIterations? (allowed: ",
  ],
  ["q", { attachments: [{ bytes: new Uint8Array(1), filename: "a" }] }, "ask: attachments[0]: filename: unknown key"],
])("the question %j with %j is refused before anything runs", async (question, options, message) => {
  const duet = await create({ models: { functionCall: scriptedModel([]) } });
  const failed = await Reflect.apply(duet.ask, undefined, [question, options]).catch((error: unknown) => error);
  expect(failed).toMatchObject({ name: "DuetError", code: "config" });
  expect(String(failed)).toContain(message);
  expect(String(failed)).not.toContain("\n");
});

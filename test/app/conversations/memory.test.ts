// What a conversation remembers of its runs, as models on real sockets are sent it.
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";
import "../../../src/app/create-duet.ts";
import { createDuet, type DuetOptions, defineTool, type EmbeddedDuet } from "../../../src/index.ts";
import { temporaryFolder } from "../../fakes/program.ts";
import { type FakeProvider, type FakeTurn, type JournalEntry, startFakeProvider } from "../../fakes/provider.ts";

beforeEach(async () => {
  vi.stubEnv("LOCAL_KEY", "sk-test-openai-0001");
  vi.stubEnv("DUET_HOME", await temporaryFolder());
  return () => vi.unstubAllEnvs();
});

type Wire = JournalEntry["wire"];

interface Setting {
  wire: Wire;
  /** Is true for models without function calling. */
  inText?: boolean;
  /** Is true where another model writes the answer. */
  isDual?: boolean;
}

/** A folder with two files, whose tools tell what they were asked. */
function openFolder() {
  const made: string[] = [];
  const list = defineTool({
    name: "list_files",
    description: "Lists the files.",
    inputSchema: z.object({}),
    run: () => {
      made.push("list");
      return "1. alpha-notes.md\n2. bravo-plan.md\n3. charlie.csv";
    },
  });
  const open = defineTool({
    name: "open_file",
    description: "Opens a file.",
    inputSchema: z.object({ name: z.string() }),
    run: ({ name }) => {
      made.push(`open ${name}`);
      return `The words of ${name}.`;
    },
  });
  return { made, tools: [list, open] };
}

async function provide(): Promise<FakeProvider> {
  const provider = await startFakeProvider();
  onTestFinished(() => provider.close());
  return provider;
}

async function open(
  provider: FakeProvider,
  { wire, inText = false, isDual = false }: Setting,
  tools: NonNullable<DuetOptions["tools"]>,
): Promise<EmbeddedDuet> {
  const baseUrl = wire === "anthropic-messages" ? provider.anthropicUrl : provider.openaiUrl;
  const form = inText ? { toolCalls: "text" as const } : {};
  const duet = await createDuet({
    models: {
      functionCall: { provider: "mine", model: "decider", ...form },
      ...(isDual && { answer: { provider: "mine", model: "writer" } }),
    },
    tools,
    config: {
      locale: "en",
      search: { enabled: false },
      conversations: { store: "disk" },
      tools: { allow: ["*"], ask: [] },
      providers: { mine: { wire, baseUrl, apiKeyEnv: "LOCAL_KEY" } },
    },
  });
  onTestFinished(() => duet.close());
  return duet;
}

/** Everything in a request, as one text. */
function textOf({ body }: JournalEntry): string {
  return JSON.stringify(body);
}

function call(name: string, args: object, inText = false): FakeTurn {
  if (inText) return { text: `Thought: go\nAction: ${name}\nAction Input: ${JSON.stringify(args)}` };
  return { toolCalls: [{ name, arguments: args }] };
}

function final(text: string, inText = false): FakeTurn {
  return { text: inText ? `Thought: done\nFinal Answer: ${text}` : text };
}

/** Calls for the second file of the list, if the list is in the request, and else for the list. */
function openSecond(inText: boolean) {
  return (entry: JournalEntry): FakeTurn => {
    const [, name] = /2\. ([\w-]+\.md)/.exec(textOf(entry)) ?? [];
    return name === undefined ? call("list_files", {}, inText) : call("open_file", { name }, inText);
  };
}

/** The messages of a request, and what stands before them, without the marks that move with the end. */
function readRequest({ body }: JournalEntry): { before: string; messages: string[] } {
  const clean = (value: unknown): string =>
    JSON.stringify(value, (key, inner: unknown) => (key === "cache_control" ? undefined : inner));
  const { messages, input, tools, system, instructions } = body;
  const list: unknown = messages ?? input;
  return { before: clean({ tools, system, instructions }), messages: (Array.isArray(list) ? list : []).map(clean) };
}

/** Expects that each request begins as the one before it ended, so that the vendor finds it in its cache. */
function expectExtended(requests: readonly JournalEntry[]): void {
  const read = requests.map(readRequest);
  for (const [index, { before, messages }] of read.entries()) {
    const previous = read[index - 1];
    if (previous === undefined) continue;
    expect(before).toBe(previous.before);
    expect(messages.slice(0, previous.messages.length)).toEqual(previous.messages);
  }
}

const settings: [string, Setting][] = [
  ["one model, chat completions", { wire: "openai-chat" }],
  ["one model, responses", { wire: "openai-responses" }],
  ["one model, messages", { wire: "anthropic-messages" }],
  ["one model without function calling", { wire: "openai-chat", inText: true }],
  ["two models, chat completions", { wire: "openai-chat", isDual: true }],
  ["two models, responses", { wire: "openai-responses", isDual: true }],
  ["two models, messages", { wire: "anthropic-messages", isDual: true }],
];

describe("the next turn reads the calls of the one before", () => {
  test.each(settings)("also after a restart, and each request begins as the last one ended: %s", async (_, setting) => {
    const { inText = false, isDual = false } = setting;
    const provider = await provide();
    const { made, tools } = openFolder();
    const first = await open(provider, setting, tools);
    provider.script("decider", call("list_files", {}, inText), final("There are three.", inText));
    provider.script("writer", { text: "There are three." }, { text: "It plans." });
    const { conversation_id: conversationId } = await first.ask("List the files.");
    await first.close();
    const second = await open(provider, setting, tools);
    provider.script("decider", openSecond(inText), final("It plans.", inText));
    const outcome = await second.ask("Open the second one.", { conversationId });

    expect(outcome).toMatchObject({ status: "complete", response: "It plans." });
    expect(made).toEqual(["list", "open bravo-plan.md"]);
    expectExtended(provider.requests("decider"));
    const answers = provider.requests("writer");
    expect(answers).toHaveLength(isDual ? 2 : 0);
    expectExtended(answers);
    for (const request of answers) expect(textOf(request)).toContain("2. bravo-plan.md");
  });
});

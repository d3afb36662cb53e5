import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { trace } from "@opentelemetry/api";
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { expect, onTestFinished, test } from "vitest";
import type { AskRequest } from "../../../src/app/ask/ask-request.ts";
import type { Duet } from "../../../src/app/duet.ts";
import { openDuet } from "../../../src/app/open-duet.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import { toUser } from "../../../src/core/questions/user.ts";
import type { AgentEvent } from "../../../src/core/run/events.ts";
import { outcomeOf } from "../../fakes/events.ts";
import { images, jpegWithMetadata, secret } from "../../fakes/images.ts";
import { npmServer, programEnvironment, temporaryFolder } from "../../fakes/program.ts";
import { type FakeProvider, startFakeProvider } from "../../fakes/provider.ts";

interface Scene {
  duet: Duet;
  home: string;
  provider: FakeProvider;
  /** Asks, and returns what happened. */
  ask(request: AskRequest): Promise<AgentEvent[]>;
}

/** `cheap` decides on OpenAI's chat completions, `strong` answers on Anthropic's wire. */
async function open(mcpServers: Record<string, unknown> = {}, models: Record<string, string> = {}): Promise<Scene> {
  const provider = await startFakeProvider();
  const home = await temporaryFolder();
  const { cheap = "cheap", strong = "strong" } = models;
  await writeFile(join(home, "duet.json"), JSON.stringify({ mcpServers, search: { enabled: false } }));
  const config = await loadConfig(
    { config: join(home, "duet.json") },
    await programEnvironment({
      HOME: home,
      DUET_HOME: home,
      AGENT_FUNCTION_CALL_MODEL: JSON.stringify({ provider: "openai", model: cheap, base_url: provider.openaiUrl }),
      AGENT_ANSWER_MODEL: JSON.stringify({ provider: "anthropic", model: strong, base_url: provider.anthropicUrl }),
      OPENAI_API_KEY: "sk-test-openai-0001",
      ANTHROPIC_API_KEY: "sk-test-anthropic-0002",
    }),
    home,
  );
  const duet = await openDuet(config);
  onTestFinished(async () => {
    await duet.close();
    await provider.close();
  });
  const user = toUser({ approveCall: async () => "once" });
  return {
    duet,
    home,
    provider,
    ask: async (request) => Array.fromAsync(duet.ask({ user, ...request })),
  };
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}

const noticesOf = (events: AgentEvent[]): string[] =>
  events.flatMap((event) => (event.type === "notice" ? [event.message] : []));

test("a picture reaches both models without its metadata, a follow-up question sees it again, and it ends with the conversation", async () => {
  const { duet, provider, ask } = await open();
  provider.script("cheap", { text: "No tool is needed." }, { text: "Still none." });
  provider.script("strong", { text: "A gradient." }, { text: "24 pixels." });
  const attachments = [{ bytes: jpegWithMetadata(1), name: "holiday.jpg" }];
  const first = await ask({ question: "What is this?", attachments });
  expect(noticesOf(first)).toEqual([]);
  const { conversation_id: conversationId, success } = outcomeOf(first);
  expect(success).toBe(true);
  const second = await ask({ question: "How wide is it?", conversationId });
  expect(outcomeOf(second).success).toBe(true);
  const store = await duet.store();
  const [turn] = (await store.load(conversationId))?.turns ?? [];
  const hash = turn?.files?.[0]?.type === "image" ? turn.files[0].image.hash : "";
  const stored = (await store.readFile?.({ conversationId, hash })) ?? new Uint8Array();
  const base64 = toBase64(stored);
  expect(base64.length).toBeGreaterThan(500);
  expect(Buffer.from(stored).includes(secret)).toBe(false);
  for (const { body } of [...provider.requests("cheap"), ...provider.requests("strong")])
    expect(JSON.stringify(body)).toContain(base64);
  expect(await store.remove(conversationId)).toBe(true);
  expect(await store.readFile?.({ conversationId, hash })).toBeUndefined();
});

test("a file that cannot be taken gets one line with what is allowed, and the question is answered", async () => {
  const { provider, ask } = await open();
  provider.script("cheap", { text: "Enough." });
  provider.script("strong", { text: "Yes." });
  const attachments = [
    { bytes: Buffer.from("\0\0\0\x1cftypheic\0\0", "latin1"), name: "photo.heic" },
    { bytes: images.png.subarray(0, 50), name: "cut.png" },
    { bytes: images.gif, name: "fine.gif" },
    { bytes: images.png, name: "other.png" },
  ];
  const events = await ask({ question: "What is this?", attachments });
  expect(outcomeOf(events).success).toBe(true);
  expect(noticesOf(events)).toEqual([
    "Not attached: photo.heic: image/heic is not accepted (accepted: PNG, JPEG, GIF, WebP)",
    "Not attached: cut.png: the image is damaged or incomplete",
  ]);
  const body = JSON.stringify(provider.requests("strong")[0]?.body);
  // Each image stands behind its name.
  const places = ["[image fine.gif: image/gif, 24×16]", '"image/gif"', "[image other.png: ", '"image/png"'];
  const found = places.map((text) => body.indexOf(text));
  expect(found).not.toContain(-1);
  expect(found).toEqual([...found].sort((a, b) => a - b));
});

test("an image that a real server returns is seen by both models and by the next turn, and its base64 is nowhere else", async () => {
  const exporter = new InMemorySpanExporter();
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }));
  onTestFinished(() => trace.disable());
  const folder = await temporaryFolder();
  await writeFile(join(folder, "shot.png"), images.png);
  const { duet, provider, ask } = await open({
    files: npmServer("mcp-server-filesystem", [folder]),
    everything: npmServer("mcp-server-everything", []),
  });
  const path = join(folder, "shot.png");
  provider.script(
    "cheap",
    {
      toolCalls: [
        { name: "files__read_media_file", arguments: { path } },
        { name: "everything__get-tiny-image", arguments: {} },
      ],
    },
    { text: "Enough." },
    { text: "Nothing more." },
  );
  provider.script("strong", { text: "Two pictures." }, { text: "As before." });
  const events = await ask({ question: "What does the file show?" });
  const { conversation_id: conversationId, run_id } = outcomeOf(events);
  expect(outcomeOf(events)).toMatchObject({ success: true, tool_calls: [{ ok: true }, { ok: true }] });
  await ask({ question: "And again?", conversationId });

  const store = await duet.store();
  const [turn] = (await store.load(conversationId))?.turns ?? [];
  expect(turn?.images).toHaveLength(2);
  const encoded = await Promise.all(
    (turn?.images ?? []).map(async ({ image }) =>
      toBase64((await store.readFile?.({ conversationId, hash: image.hash })) ?? new Uint8Array()),
    ),
  );
  const [, afterTools, next] = provider.requests("cheap").map(({ body }) => JSON.stringify(body));
  const [answer, followUp] = provider.requests("strong").map(({ body }) => JSON.stringify(body));
  for (const base64 of encoded) {
    // Once as an image, and not a second time as text.
    for (const body of [afterTools, answer, next, followUp]) expect(body?.split(base64)).toHaveLength(2);
    const written = JSON.stringify([
      events,
      outcomeOf(events),
      await store.trace(run_id),
      turn,
      exporter.getFinishedSpans().map(({ name, attributes, events: told }) => [name, attributes, told]),
    ]);
    for (const piece of [base64.slice(0, 60), base64.slice(60, 120), base64.slice(-60)])
      expect(written).not.toContain(piece);
  }
  expect(JSON.stringify(outcomeOf(events).tool_calls)).toContain("[image: image/png, ");
});

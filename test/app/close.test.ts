import { expect, onTestFinished, test } from "vitest";
import type { DuetOverrides } from "../../src/app/ask/ask-request.ts";
import type { Duet } from "../../src/app/duet.ts";
import { openDuet } from "../../src/app/open-duet.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import type { AgentEvent } from "../../src/core/run/events.ts";
import type { ConversationStore } from "../../src/core/store/store.ts";
import { createMemoryStore } from "../../src/store/memory/memory-store.ts";
import { written } from "../agent/plan/planning.ts";
import { startCollector } from "../fakes/collector.ts";
import { makeTool, outcomeOf } from "../fakes/events.ts";
import { scriptedModel } from "../fakes/model.ts";
import { temporaryFolder } from "../fakes/program.ts";
import { patienceMs } from "../runner/patience.ts";

async function open(
  parts: DuetOverrides,
  agent: object = {},
  environment: Record<string, string> = {},
): Promise<Duet & { kept: ConversationStore }> {
  const home = await temporaryFolder();
  const embedding = { name: "code", settings: { agent, conversations: { store: "memory" as const } } };
  const config = await loadConfig({}, { HOME: home, DUET_HOME: home, ...environment }, home, embedding);
  const kept = createMemoryStore();
  const duet = await openDuet(config, { store: kept, ...parts });
  onTestFinished(() => duet.close());
  return Object.assign(duet, { kept });
}

test("closing cancels the runs that are going on, and they are kept, whether anybody reads on or not", async () => {
  const model = scriptedModel([
    { text: "It is", hang: true },
    { text: "It is", hang: true },
  ]);
  const duet = await open({ models: { functionCall: model, answer: model } });
  const left = duet.ask({ question: "Who reads no further?", mode: "chat" });
  await left.next();
  const events: AgentEvent[] = [];
  for await (const event of duet.ask({ question: "Who reads on?", mode: "chat" })) {
    events.push(event);
    if (event.type === "answer-delta" && events.filter(({ type }) => type === "answer-delta").length === 1) {
      await duet.close();
      const entries = await duet.kept.list({ limit: 10, offset: 0 });
      expect(entries.map(({ title }) => title).sort()).toEqual(["Who reads no further?", "Who reads on?"]);
    }
  }
  expect(outcomeOf(events).status).toBe("cancelled");
  expect((await duet.kept.trace())?.status).toBe("cancelled");
  await expect(duet.ask({ question: "Still there?" }).next()).rejects.toThrow("Duet is closed");
  await left.return();
});

test("a second call of close waits for the first, and the operator is told once what was not sent", async () => {
  const late = Promise.withResolvers<void>();
  const collector = await startCollector({ hangs: late.promise, status: 400 });
  const lines: string[] = [];
  const model = scriptedModel(["Hello."]);
  const duet = await open(
    { models: { functionCall: model, answer: model }, warn: ({ en }) => lines.push(en) },
    {},
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces` },
  );
  await Array.fromAsync(duet.ask({ question: "Hi", mode: "chat" }));
  const limits = { totalMs: patienceMs, telemetryMs: 200 };
  const toldBy = await Promise.all([limits, undefined].map((each) => duet.close(each).then(() => lines.length)));
  await duet.close();
  expect({ toldBy, lines }).toEqual({
    toldBy: [1, 1],
    lines: [expect.stringMatching(/^spans could not be sent to \S+ within 0\.2 s$/)],
  });
  // The sender still waits, and hears the refusal before our own request is answered.
  late.resolve();
  await fetch(collector.url, { method: "POST", body: "{}" });
  expect(lines).toHaveLength(1);
});

test("a plan is carried out once, when two replies to it come at once", async () => {
  let posts = 0;
  const post = makeTool("post", async () => {
    posts += 1;
    return { ok: true, text: "posted to the whole wide world" };
  });
  const cheap = scriptedModel([written({ description: "Post it", tool: "post" }), '{"steps":[]}', '{"steps":[]}']);
  const strong = scriptedModel(["Posted.", "There is nothing to do.", "Nothing."]);
  const duet = await open(
    { models: { functionCall: cheap, answer: strong }, tools: [post] },
    { plan: { unattended: "stop" } },
  );
  const ask = async (question: string, conversationId?: string) =>
    outcomeOf(await Array.fromAsync(duet.ask({ question, conversationId, mode: "plan" })));
  const { status, conversation_id: id } = await ask("Post it");
  expect([status, posts]).toEqual(["needs_confirmation", 0]);
  const [first, second] = await Promise.all([ask("y", id), ask("y", id)]);
  expect(first.tool_calls.map(({ tool }) => tool)).toEqual(["post"]);
  expect(second.tool_calls).toEqual([]);
  expect(posts).toBe(1);
});

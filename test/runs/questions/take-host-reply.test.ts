import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { expect, onTestFinished, test } from "vitest";
import type { ElicitationReply } from "../../../src/core/forms/elicitation.ts";
import type { UserQuestion } from "../../../src/core/questions/user-question.ts";
import type { AskedQuestion } from "../../../src/core/store/run-mailbox.ts";
import { localRuns } from "../../../src/core/store/shared-runs.ts";
import { takeHostReply } from "../../../src/runs/questions/take-host-reply.ts";
import { openFace } from "../mcp-interface.ts";

const wipe = { id: "1", name: "wipe_disk", input: { disk: "a" } };
const question: UserQuestion<"call"> = {
  kind: "call",
  tool: "wipe_disk",
  arguments: {},
  rule: "always",
  onlyOnce: false,
};
const accept = (scope: string): ElicitationReply => ({ action: "accept", content: { scope } });
const decline: ElicitationReply = { action: "decline" };

/** Replies to a run that another process is about to ask for, of which the store knows these questions. */
async function reply(
  given: ElicitationReply | undefined,
  posted: AskedQuestion[],
  { isFirst = true, isDelivered = false } = {},
) {
  const claimed: unknown[] = [];
  const shared = {
    ...localRuns,
    listQuestions: async () => posted,
    async answer(...claim: unknown[]) {
      claimed.push(claim);
      if (!isFirst) posted.splice(0, posted.length, { id: "q1", question, answer: { reply: "once" } });
      return isFirst;
    },
  };
  const run = { id: "run-1", open: undefined, answered: [], outcome: undefined, isDelivered };
  const named = { runId: "run-1", rounds: 1, isAbout: (id: string) => id === "q1" };
  const taken = await takeHostReply({ openShared: async () => shared }, { run, question: named, reply: given });
  return { taken, claimed };
}

test("an answer that comes before the next process of the run has asked again counts", async () => {
  expect(await reply(accept("once"), [{ id: "q1", question }])).toEqual({
    taken: {},
    claimed: [["run-1", "q1", "once"]],
  });
  const invalid = await reply(accept("zzz"), [{ id: "q1", question }]);
  expect(invalid).toMatchObject({ taken: { problem: { en: expect.stringContaining('"zzz"') } }, claimed: [] });
});

test("an answer that counts already is taken again, and another one is not", async () => {
  const posted: AskedQuestion[] = [{ id: "q1", question, answer: { reply: "once" } }];
  for (const [given, taken] of [
    [accept("once"), {}],
    [accept("conversation"), undefined],
    [decline, undefined],
    [undefined, undefined],
  ] as const)
    expect(await reply(given, posted)).toEqual({ taken, claimed: [] });
  expect((await reply(accept("once"), posted, { isDelivered: true })).taken).toBeUndefined();
  expect((await reply(accept("once"), [{ id: "q2", question }])).taken).toBeUndefined();
});

test("of two answers at once the second is taken where it says the same", async () => {
  expect((await reply(accept("once"), [{ id: "q1", question }], { isFirst: false })).taken).toEqual({});
  expect((await reply(decline, [{ id: "q1", question }], { isFirst: false })).taken).toBeUndefined();
});

test("a host of 2026-07-28 that sends its answer again waits for the run once more, until it has the result", async () => {
  const { mcp, wiped } = await openFace({ turns: [[wipe], { hang: true }] });
  const [above, below] = InMemoryTransport.createLinkedPair();
  const handle = serveStdio(() => mcp.createServer(), { transport: below });
  const capabilities = { elicitation: { form: {} } };
  const client = new Client({ name: "test", version: "1" }, { capabilities, versionNegotiation: { mode: "auto" } });
  await client.connect(above);
  onTestFinished(async () => {
    await client.close();
    await handle.close();
  });
  const send = (args: object = {}, more: object = {}) =>
    client.callTool(
      { name: "agent_ask", arguments: { question: "Wipe disk a.", ...args }, ...more },
      { allowInputRequired: true },
    );
  const asked = await send();
  if (!("requestState" in asked)) throw new Error("nothing was asked");
  const answer = (given: ElicitationReply) => ({
    requestState: asked.requestState,
    inputResponses: { question: given },
  });
  const first = send({}, answer(accept("once")));
  await expect.poll(() => wiped).toEqual([{ disk: "a" }]);
  const again = await send({ wait_s: 0 }, answer(accept("once")));
  expect(again).toMatchObject({ structuredContent: { status: "running" } });
  const isRefused = { code: -32602, message: expect.stringContaining("No question is waiting") };
  await expect(send({}, answer(decline))).rejects.toMatchObject(isRefused);
  mcp.runs.findLatest("Wipe disk a.", {})?.cancel();
  expect(await first).toMatchObject({ structuredContent: { status: "cancelled" } });
  await expect(send({}, answer(accept("once")))).rejects.toMatchObject(isRefused);
  expect(wiped).toEqual([{ disk: "a" }]);
});

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
async function reply(given: ElicitationReply | undefined, posted: AskedQuestion[], isFirst = true) {
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
  const run = { id: "run-1", open: undefined, answered: [], outcome: undefined };
  const named = { runId: "run-1", isAbout: (id: string) => id === "q1" };
  const taken = await takeHostReply({ sharedRuns: async () => shared }, { run, question: named, reply: given });
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
  expect((await reply(accept("once"), [{ id: "q2", question }])).taken).toBeUndefined();
});

test("of two answers at once the second is taken where it says the same", async () => {
  expect((await reply(accept("once"), [{ id: "q1", question }], false)).taken).toEqual({});
  expect((await reply(decline, [{ id: "q1", question }], false)).taken).toBeUndefined();
});

test("a host of 2026-07-28 that sends its answer again gets the result of the run, and no second call", async () => {
  const { mcp, wiped } = await openFace({ turns: [[wipe], "Done."] });
  const [above, below] = InMemoryTransport.createLinkedPair();
  const handle = serveStdio(() => mcp.createServer(), { transport: below });
  const capabilities = { elicitation: { form: {} } };
  const client = new Client({ name: "test", version: "1" }, { capabilities, versionNegotiation: { mode: "auto" } });
  await client.connect(above);
  onTestFinished(async () => {
    await client.close();
    await handle.close();
  });
  const call = { name: "agent_ask", arguments: { question: "Wipe disk a." } };
  const send = (more: object = {}) => client.callTool({ ...call, ...more }, { allowInputRequired: true });
  const asked = await send();
  if (!("requestState" in asked)) throw new Error("nothing was asked");
  const answer = (reply: ElicitationReply) => ({
    requestState: asked.requestState,
    inputResponses: { question: reply },
  });
  const done = { structuredContent: { status: "complete", response: "Done." } };
  expect(await send(answer(accept("once")))).toMatchObject(done);
  expect(await send(answer(accept("once")))).toMatchObject(done);
  await expect(send(answer(decline))).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining("No question is waiting"),
  });
  expect(wiped).toEqual([{ disk: "a" }]);
});

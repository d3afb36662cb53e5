import { expect, test } from "vitest";
import { settleInterrupted } from "../../../src/app/conversations/settle-interrupted.ts";
import type { RunHeader } from "../../../src/core/store/journal.ts";
import { defaultLimits } from "../../fakes/run.ts";
import { openStore, storeFile } from "../../store/stores.ts";

const header: RunHeader = {
  entrance: "http",
  question: "What did I ask?",
  mode: "agent",
  traceId: "0",
  marker: "abcd1234",
  locale: "zh",
  language: "zh",
  limits: { ...defaultLimits },
  planPolicy: { unattended: "run", onFailure: "replan", retries: 1 },
  models: { functionCall: "fake/one", answer: "fake/two" },
  turns: 0,
  sources: 0,
  asks: [],
};

test("an interrupted run is settled for its owner alone, once, and never while its process lives", async () => {
  const file = await storeFile();
  const first = await openStore(file);
  await first.journal.begin({ runId: "run-a", owner: "anna", conversationId: "conv-a", header });
  const second = await openStore(file);
  const settle = (owner: string | undefined) =>
    settleInterrupted(second.journal, second.of(owner), { conversationId: "conv-a", owner });
  await settle("anna");
  expect((await second.of("anna").load("conv-a"))?.turns).toEqual([]);
  await first.close();
  await settle(undefined);
  await settle("bert");
  expect((await second.of("anna").load("conv-a"))?.turns).toEqual([]);
  await settle("anna");
  await settle("anna");
  expect(await second.of("anna").load("conv-a")).toMatchObject({
    marker: "abcd1234",
    turns: [{ question: "What did I ask?", answer: "（程序意外结束，这次运行没有得到回答。）", status: "interrupted" }],
  });
  expect(await second.journal.listInterrupted()).toEqual([]);
});

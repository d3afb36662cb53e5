import { expect, test } from "vitest";
import { localMailbox, type RunMailbox } from "../../../src/core/store/run-mailbox.ts";
import { createNotifier } from "../../../src/kit/async/notifier.ts";
import type { OpenQuestion } from "../../../src/runs/questions/open-question.ts";
import { createQuestionQueue } from "../../../src/runs/questions/question-queue.ts";
import { linkHost } from "../../fakes/linked-hosts.ts";
import { openFace } from "../mcp-interface.ts";

const wipe = { id: "1", name: "wipe_disk", input: { disk: "a" } };
const plan = { kind: "plan", steps: [] } as const;
const never = new AbortController().signal;

test("a question is open until it is answered, once, and the next is another one", async () => {
  const questions = createQuestionQueue(10_000, () => {});
  const pose = () => questions.ask(plan, never);
  const first = pose();
  const asked = questions.open;
  if (asked?.kind === "plan") asked.answer({ reply: "yes" });
  asked?.withdraw();
  expect(await first).toEqual({ reply: "yes" });
  expect(asked?.closed.aborted).toBe(true);
  expect(questions.open).toBeUndefined();
  const second = pose();
  expect(questions.open?.id).not.toBe(asked?.id);
  asked?.withdraw();
  expect(questions.open).toBeDefined();
  questions.open?.withdraw();
  expect(await second).toBeUndefined();
});

test("a question that is given up leaves the one that came after it open", async () => {
  const questions = createQuestionQueue(10_000, () => {});
  const pose = () => questions.ask(plan, never);
  const first = pose();
  const [earlier] = [questions.open];
  const second = pose();
  const later = questions.open;
  earlier?.withdraw();
  expect(await first).toBeUndefined();
  expect(questions.open).toBe(later);
  later?.withdraw();
  expect(await second).toBeUndefined();
});

/** Opens a question that other processes see, whose store gives `claims` one after the other, once it is told to. */
function openShared(...claims: boolean[]) {
  const stored = Promise.withResolvers<void>();
  const withdrawn: string[] = [];
  const mailbox: RunMailbox = {
    ...localMailbox,
    post: async ({ id }) => ({ id }),
    async claim() {
      const isFirst = claims.shift() ?? false;
      await stored.promise;
      return isFirst;
    },
    withdraw: (id) => void withdrawn.push(id),
  };
  const opened = Promise.withResolvers<OpenQuestion<"plan">>();
  const questions = createQuestionQueue(10_000, () => {}, {
    getMailbox: () => mailbox,
    onOpen: (question) => question.kind === "plan" && opened.resolve(question),
  });
  return { questions, opened: opened.promise, store: stored.resolve, withdrawn };
}

test("the first reply counts also where its own notification closes the question before the store has answered", async () => {
  const { questions, opened, store } = openShared(true, false);
  const reply = questions.ask(plan, never);
  const open = await opened;
  const [mine, other] = [open.answer({ reply: "yes" }), open.answer({ reply: "no" })];
  questions.accept(open.id, { reply: "yes" });
  store();
  expect([await mine, await other, await reply]).toEqual([true, false, { reply: "yes" }]);
});

test("a reply that comes while another one from elsewhere closes the question does not count", async () => {
  const { questions, opened, store } = openShared(false);
  const reply = questions.ask(plan, never);
  const open = await opened;
  const late = open.answer({ reply: "no" });
  questions.accept(open.id, { reply: "yes" });
  store();
  expect([await late, await reply]).toEqual([false, { reply: "yes" }]);
});

test("a reply to a question that the run takes back meanwhile does not count", async () => {
  const { questions, opened, store, withdrawn } = openShared(true);
  const stop = new AbortController();
  const reply = questions.ask(plan, stop.signal);
  const open = await opened;
  const late = open.answer({ reply: "yes" });
  stop.abort();
  store();
  expect([await late, await reply, withdrawn]).toEqual([false, undefined, [open.id]]);
});

test("a question that an earlier process has asked is given up when that one said", async () => {
  const until = Date.now() + 5;
  const withdrawn: unknown[] = [];
  const mailbox: RunMailbox = {
    ...localMailbox,
    post: async () => ({ id: "earlier", until }),
    claim: (...claimed) => withdrawn.push(claimed) > 0,
  };
  const shown: number[] = [];
  const questions = createQuestionQueue(600_000, () => {}, {
    getMailbox: () => mailbox,
    onOpen: (question) => void shown.push(question.until),
  });
  expect(await questions.ask(plan, never)).toBeUndefined();
  expect([shown, withdrawn]).toEqual([[until], [["earlier", undefined]]]);
});

test("whoever waits hears that a question is free to be shown again", async () => {
  const notifier = createNotifier();
  const questions = createQuestionQueue(10_000, notifier.notify);
  void questions.ask(plan, never);
  const release = questions.open?.show({ isInResult: false });
  const heard = notifier.wait(AbortSignal.timeout(10_000)).then(() => questions.open?.isAsked);
  release?.();
  expect(await heard).toBe(false);
  questions.open?.withdraw();
});

test("a question that was not answered in time is withdrawn, and the run comes to its end without it", async () => {
  const { mcp, wiped } = await openFace({ turns: [[wipe], "Left as it was."], serve: { confirmTime: 1 } });
  const silent = await linkHost(mcp, { name: "claude-code", onQuestion: () => new Promise<object>(() => {}) });
  const { outcome } = await silent.ask("Wipe disk a.");
  expect(outcome).toMatchObject({
    status: "complete",
    response: "Left as it was.\n\nℹ wipe_disk needs consent and got no valid answer, so it was not run.",
  });
  expect(wiped).toEqual([]);
});

test("a run that is stopped while it asks gives its end at once", async () => {
  const { mcp, wiped } = await openFace({ turns: [[wipe], "Never."] });
  const asked = Promise.withResolvers<void>();
  const onQuestion = () => {
    asked.resolve();
    return new Promise<object>(() => {});
  };
  const host = await linkHost(mcp, { onQuestion });
  const call = host.ask("Wipe disk a.");
  await asked.promise;
  const run_id = mcp.runs.findLatest("Wipe disk a.", {})?.id;
  expect((await host.call("agent_cancel", { run_id })).outcome.status).toBe("cancelled");
  expect((await call).outcome.status).toBe("cancelled");
  expect(wiped).toEqual([]);
});

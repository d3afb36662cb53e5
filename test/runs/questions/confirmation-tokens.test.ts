import { afterEach, expect, test, vi } from "vitest";
import { type Confirmable, createConfirmations } from "../../../src/runs/questions/confirmation-tokens.ts";
import { linkHost } from "../../fakes/linked-hosts.ts";
import { openFace } from "../mcp-interface.ts";

afterEach(() => void vi.useRealTimers());

const wipe = { id: "1", name: "wipe_disk", input: { disk: "a" } };
const call: Confirmable = { id: "run-1", kind: "call", owner: "anna", shown: ["wipe_disk", { disk: "a" }, 5] };

test("a token fits what was shown to its owner, until its time is over, and nothing else", () => {
  let now = 1000;
  const confirmations = createConfirmations(() => now);
  const token = confirmations.mint(call, 2000);
  expect(confirmations.fits(token, call)).toBe(true);
  const others: Partial<Confirmable>[] = [
    { id: "run-2" },
    { kind: "plan" },
    { owner: "bert" },
    { owner: undefined },
    { shown: ["wipe_disk", { disk: "b" }, 5] },
    { shown: ["wipe_file", { disk: "a" }, 5] },
    { shown: ["wipe_disk", { disk: "a" }, 6] },
  ];
  for (const other of others) expect(confirmations.fits(token, { ...call, ...other })).toBe(false);
  now = 2000;
  expect(confirmations.fits(token, call)).toBe(false);
});

test("a token that was changed in any character, or made by another process, is none", () => {
  const confirmations = createConfirmations();
  const token = confirmations.mint(call, Date.now() + 10_000);
  for (let at = 0; at < token.length; at++) {
    const changed = `${token.slice(0, at)}${token[at] === "A" ? "B" : "A"}${token.slice(at + 1)}`;
    expect(confirmations.read(changed)).toBeUndefined();
  }
  for (const none of ["", ".", "a.b", `${token}.x`, `${token}=`, ` ${token}`])
    expect(confirmations.read(none)).toBeUndefined();
  expect(createConfirmations().read(token)).toBeUndefined();
});

test("100: a token is used once, and does not serve for the same call that comes again", async () => {
  const { mcp, wiped } = await openFace({ turns: [[wipe], [{ ...wipe, id: "2" }], "Done."] });
  const host = await linkHost(mcp);
  const first = await host.ask("Wipe disk a twice.");
  const token = first.outcome.confirmation?.token;
  const second = await host.ask("yes", { confirmation: token });
  expect(second.outcome).toMatchObject({ status: "needs_confirmation", confirmation: { tool: "wipe_disk" } });
  expect(second.text).toContain('"disk": "a"');
  const replayed = await host.ask("yes", { confirmation: token });
  expect(replayed.isError).toBe(true);
  expect(replayed.text).toContain("already used");
  expect(wiped).toEqual([{ disk: "a" }]);
  const third = await host.ask("no", { confirmation: second.outcome.confirmation?.token });
  expect(third.outcome.status).toBe("complete");
  expect(wiped).toEqual([{ disk: "a" }]);
});

test("100: a token of another caller's run is refused as one whose run is over", async () => {
  const { mcp, wiped } = await openFace({ turns: [[wipe], "Done."] });
  const anna = await linkHost(mcp, { caller: { owner: "anna" } });
  const bert = await linkHost(mcp, { caller: { owner: "bert" } });
  const { outcome } = await anna.ask("Wipe disk a.");
  const stolen = await bert.ask("yes", { confirmation: outcome.confirmation?.token });
  expect(stolen).toMatchObject({ isError: true });
  expect(stolen.text).toContain("is no longer waiting");
  expect(stolen.text).toContain("agent_result over MCP, or GET /agent/runs/{run_id} over HTTP");
  expect((await bert.call("agent_result", { run_id: outcome.run_id })).text).toContain("There is no run");
  expect((await bert.call("agent_cancel", { run_id: outcome.run_id })).text).toContain("There is no run");
  expect(wiped).toEqual([]);
});

test("101: what runs is what was shown", async () => {
  const input = { disk: "a", note: "then\u202e reversed" };
  const { mcp, wiped } = await openFace({ turns: [[{ ...wipe, input }], "Done."] });
  const host = await linkHost(mcp);
  const { outcome, text } = await host.ask("Wipe disk a.");
  const [shown = ""] = /\{[^}]*\}/.exec(text) ?? [];
  expect(JSON.parse(shown)).toEqual(input);
  expect(outcome.response).toBe(text);
  expect(text).not.toContain("\u202e");
  expect(text).toContain("\\u202e");
  await host.ask("yes", { confirmation: outcome.confirmation?.token });
  expect(wiped).toEqual([input]);
});

test("a reply that is neither yes nor no leaves the token as it was", async () => {
  const { mcp, wiped } = await openFace({ turns: [[wipe], "Done."] });
  const host = await linkHost(mcp);
  const confirmation = (await host.ask("Wipe disk a.")).outcome.confirmation?.token;
  const unclear = await host.ask("which disk is that?", { confirmation });
  expect(unclear.isError).toBe(true);
  expect(unclear.text).toContain('"which disk is that?"');
  expect((await host.ask("yes", { confirmation })).outcome.status).toBe("complete");
  expect(wiped).toHaveLength(1);
});

test("without a word in time the call is not made, the run comes to its end, and the token counts no more", async () => {
  const { mcp, wiped } = await openFace({ turns: [[wipe], "Left as it was."], serve: { confirmTime: 1 } });
  const host = await linkHost(mcp);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const { run_id, confirmation } = (await host.ask("Wipe disk a.")).outcome;
  const run = mcp.runs.find(run_id, {});
  expect(confirmation).toBeDefined();
  vi.advanceTimersByTime(1000);
  vi.useRealTimers();
  await expect.poll(() => run?.outcome).toBeDefined();
  expect((await host.call("agent_result", { run_id })).outcome).toMatchObject({
    status: "complete",
    response: "Left as it was.\n\nℹ wipe_disk needs consent and got no valid answer, so it was not run.",
  });
  expect((await host.ask("yes", { confirmation: confirmation?.token })).isError).toBe(true);
  expect(wiped).toEqual([]);
});

test("where no token is handed out, and for an agent above that cannot ask, the call is not made", async () => {
  const never = await openFace({ turns: [[wipe], "Left as it was."], serve: { confirm: "never" } });
  expect((await (await linkHost(never.mcp)).ask("Wipe disk a.")).outcome.status).toBe("complete");
  const below = await openFace({ turns: [[wipe], "Left as it was."] });
  const host = await linkHost(below.mcp);
  expect((await host.ask("Wipe disk a.", {}, { meta: { "duet/depth": 1 } })).outcome.status).toBe("complete");
  expect([...never.wiped, ...below.wiped]).toEqual([]);
});

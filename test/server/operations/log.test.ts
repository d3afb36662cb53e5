import fc from "fast-check";
import { expect, test } from "vitest";
import { hideSecrets } from "../../../src/config/secrets/mask.ts";
import { waitForEnd } from "../../../src/runs/live/wait-until.ts";
import { createRunRegistry } from "../../../src/runs/run-registry.ts";
import { createLog } from "../../../src/server/operations/log.ts";
import { createRunLog } from "../../../src/server/operations/log-runs.ts";
import { anyText } from "../../fakes/any-text.ts";

function logged(format: "text" | "json") {
  const lines: string[] = [];
  const hide = (text: string): string => hideSecrets(text, ["canary-secret-0123456789"]);
  return { lines, log: createLog({ format, write: (line) => void lines.push(line), hide }) };
}

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";

const control = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202e]/;

test("whatever is told is one line, as JSON one that can be read, and no control character is in it", () => {
  const { lines, log } = logged("json");
  const text = fc.oneof(anyText(), fc.constantFrom("\r\n{}", "\u001b[2J", "\u2028", "\u202e", "\\"));
  fc.assert(
    fc.property(text, text, (message, field) => {
      lines.length = 0;
      log(message, "warn", { field, absent: undefined, cost_usd: null });
      expect(lines).toHaveLength(1);
      expect(lines[0]).not.toMatch(control);
      expect(JSON.parse(lines[0] ?? "")).toMatchObject({ level: "warn", cost_usd: null, field: expect.any(String) });
    }),
    { numRuns: 100 },
  );
  const plain = logged("text");
  plain.log("a\r\nb\u001b[2J", "error", { field: 1 });
  expect(plain.lines).toEqual(["duet: a b\\u{1b}[2J"]);
});

test("a message is cut where it is long, a step that is wanted in full is not, and a secret is in neither", () => {
  const { lines, log } = logged("json");
  const long = `canary-secret-0123456789 ${"word ".repeat(1000)}`;
  log(long, "info", { caller: long });
  log(long, "debug");
  const [cut, whole] = lines.map((line) => JSON.parse(line));
  expect(cut.message.length).toBeLessThanOrEqual(1000);
  expect(cut.caller.length).toBeLessThanOrEqual(300);
  expect(whole.message.length).toBeGreaterThan(4900);
  expect(lines.join()).not.toContain("canary-secret");
});

test("a caller with an API token is named, and what looks like a secret is hidden in its name and everywhere else", () => {
  const { lines, log } = logged("json");
  const secret = "canary-secret-0123456789";
  for (const caller of ["token:alice", "token:ci", `token:${secret}`, "alice token:alice"])
    log("token:alice", "info", { caller, field: "token:alice" });
  expect(lines.map((line) => JSON.parse(line).caller)).toEqual([
    "token:alice",
    "token:ci",
    "token:…6789",
    "alice token:…",
  ]);
  for (const line of lines) expect(JSON.parse(line)).toMatchObject({ message: "token:…", field: "token:…" });
});

test("a run is told when it begins and when it has ended, by its ids and figures and without a word of it", async () => {
  const { lines, log } = logged("json");
  const { followRun: begun, logEnd: ended } = createRunLog(log, "en");
  const runs = createRunRegistry({ most: 10, keepMs: 60_000, onBegin: begun, onEnd: ended });
  const run = runs.begin({
    key: "canary-key",
    caller: { owner: "anna" },
    locale: "en",
    request: { question: "canary-question", conversationId: "conv-1", mode: "plan" },
    canAsk: () => false,
    patienceMs: 60_000,
    async *ask() {
      const models = { functionCall: "a/b", answer: "a/b" };
      const names = { runId: "run-1", traceId, conversationId: "conv-1" };
      yield { type: "run-start", ...names, mode: "plan", models, toolCount: 0 };
      yield { type: "answer-delta", text: "canary-answer" };
      throw new Error("canary-cause");
    },
  });
  await waitForEnd(run, AbortSignal.timeout(10_000));
  await expect.poll(() => lines.length).toBe(2);
  expect(lines.join()).not.toContain("canary");
  const same = { run_id: run.id, trace_id: traceId, conversation_id: "conv-1", caller: "anna", mode: "plan" };
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: "info", message: "run began", ...same },
    { level: "error", message: "run ended", ...same, status: "failed", tokens: 0, tool_calls: 0, error: "internal" },
  ]);
});

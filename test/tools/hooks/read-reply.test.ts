import { expect, test } from "vitest";
import type { HookEvent, HookReply } from "../../../src/core/hooks.ts";
import type { JsonObject } from "../../../src/kit/json.ts";
import { createRedactor } from "../../../src/kit/text/redact.ts";
import { isMatchingEvent } from "../../../src/tools/hooks/match-event.ts";
import { readReply } from "../../../src/tools/hooks/read-reply.ts";

test.each([
  [undefined, "shell", true],
  ["", "shell", true],
  ["*", "shell", true],
  ["shell", "shell", true],
  ["shell", "shell__run", false],
  ["edit|shell", "shell", true],
  ["edit, shell", "shell", true],
  ["my-server__read", "my-server__read", true],
  ["my-server__.*", "my-server__read", true],
  ["^write", "server__write", false],
  ["write.*", "server__write_file", true],
])("the matcher %j fits %s: %s", (matcher, subject, fits) => {
  expect(isMatchingEvent(matcher, subject)).toBe(fits);
});

const specific = (fields: JsonObject, event = "PreToolUse"): string =>
  JSON.stringify({ hookSpecificOutput: { hookEventName: event, ...fields } });

test.each<[HookEvent, [code: number | null, stdout: string, stderr: string], Partial<HookReply>]>([
  ["PreToolUse", [0, "all is well", "chatter"], {}],
  ["PreToolUse", [2, "", "no rm here"], { decision: "deny", reason: "no rm here" }],
  [
    "PreToolUse",
    [1, "", "oops\nsecond"],
    { problem: { zh: expect.any(String), en: expect.stringMatching(/1.*oops$/) } },
  ],
  [
    "PreToolUse",
    [0, specific({ permissionDecision: "ask", permissionDecisionReason: "sure?" }), ""],
    { decision: "ask", reason: "sure?" },
  ],
  [
    "PreToolUse",
    [1, specific({ permissionDecision: "deny", permissionDecisionReason: "no" }), ""],
    { decision: "deny", reason: "no" },
  ],
  // Nothing on stdout takes back a block.
  ["PreToolUse", [2, specific({ permissionDecision: "allow" }), "blocked"], { decision: "deny", reason: "blocked" }],
  ["PreToolUse", [2, specific({ permissionDecision: 7 }), "blocked"], { decision: "deny", reason: "blocked" }],
  [
    "PreToolUse",
    [0, specific({ permissionDecision: 7 }), ""],
    { problem: { zh: expect.any(String), en: expect.stringContaining("hookSpecificOutput.permissionDecision") } },
  ],
  ["PreToolUse", [0, specific({ updatedInput: { a: 1 } }), ""], { updatedInput: { a: 1 } }],
  [
    "PreToolUse",
    [0, specific({}, "PostToolUse"), ""],
    { problem: { zh: expect.any(String), en: expect.stringContaining('"PostToolUse" (allowed: PreToolUse)') } },
  ],
  [
    "PreToolUse",
    [0, JSON.stringify({ decision: "block", reason: "older" }), ""],
    { decision: "deny", reason: "older" },
  ],
  ["PostToolUse", [0, JSON.stringify({ decision: "block", reason: "lint" }), ""], { isBlocking: true, reason: "lint" }],
  [
    "PostToolUse",
    [0, specific({ updatedToolOutput: { text: "clean" } }, "PostToolUse"), ""],
    { updatedOutput: "clean" },
  ],
  ["UserPromptSubmit", [0, "on branch main", ""], { context: "on branch main" }],
  [
    "Stop",
    [0, JSON.stringify({ continue: false, stopReason: "enough", systemMessage: "hi" }), ""],
    { stop: "enough", message: "hi" },
  ],
  ["SessionStart", [0, "the token is sk-secret-0001", ""], { context: "the token is [redacted KEY]" }],
])("%s: exit code and output %j are read as Claude Code documents them", (event, [code, stdout, stderr], said) => {
  const { redact } = createRedactor([{ name: "KEY", value: "sk-secret-0001" }]);
  const { name: _, ...read } = readReply("hook", event, { code, stdout, stderr }, redact);
  expect(Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined))).toEqual(said);
});

import { expect, test } from "vitest";
import { rememberApprovals } from "../../src/app/conversations/remember-approvals.ts";
import { toUser } from "../../src/core/questions/user.ts";
import type { Approval, ApprovalRequest, ApproveCall } from "../../src/core/tools/tool.ts";

const call: ApprovalRequest = { tool: "shell", arguments: {}, rule: "tools.ask: shell", onlyOnce: false };
const { signal } = new AbortController();

/** A person who gives these answers, one after the other, in one conversation. */
function person(...answers: (Approval | undefined)[]) {
  const asked: ApprovalRequest[] = [];
  const approveCall: ApproveCall = async (request) => {
    asked.push(request);
    return answers.shift();
  };
  const user = rememberApprovals(toUser({ approveCall }), {
    reported: new Set(),
    approved: new Set(),
    refused: new Set(),
    hooks: { source: "startup" } as const,
    loaded: new Set(),
  });
  return { ask: (more: Partial<ApprovalRequest> = {}) => user.ask({ kind: "call", ...call, ...more }, signal), asked };
}

test("a yes for the conversation covers later calls of that tool under that rule, and no others", async () => {
  const { ask, asked } = person("conversation", "no", "no");
  expect(await ask()).toBe("conversation");
  expect(await ask()).toBe("conversation");
  expect(asked).toHaveLength(1);
  expect([await ask({ tool: "send" }), await ask({ rule: "tools.ask: *" })]).toEqual(["no", "no"]);
});

test.each<[Approval | undefined]>([["once"], ["no"], [undefined]])("%s counts for one call alone", async (answer) => {
  const { ask, asked } = person(answer, "no");
  expect([await ask(), await ask(), asked.length]).toEqual([answer, "no", 2]);
});

test("a call that counts for itself alone is asked about, whatever was agreed to before, and leaves no consent behind", async () => {
  const { ask, asked } = person("conversation", "conversation", "no", "no");
  await ask();
  expect(await ask({ onlyOnce: true })).toBe("conversation");
  expect(await ask({ onlyOnce: true })).toBe("no");
  const other = person("conversation", "no");
  await other.ask({ onlyOnce: true });
  expect([await other.ask(), asked.length, other.asked.length]).toEqual(["no", 3, 2]);
});

test("never refuses all later calls of that tool under that rule", async () => {
  const { ask, asked } = person("never", "once");
  expect([await ask(), await ask(), await ask({ onlyOnce: true }), asked.length]).toEqual([
    "never",
    "never",
    "never",
    1,
  ]);
  expect(await ask({ rule: "tools.ask: *" })).toBe("once");
});

import { expect, test } from "vitest";
import type { ElicitationReply } from "../../../src/core/forms/elicitation.ts";
import type { Approval } from "../../../src/core/tools/tool.ts";
import { toApproval, toApprovalQuestion } from "../../../src/runs/input/approval-question.ts";

test.each<[ElicitationReply, Approval | undefined]>([
  [{ action: "accept", content: { scope: "once" } }, "once"],
  [{ action: "accept", content: { scope: "conversation" } }, "conversation"],
  [{ action: "accept", content: {} }, "once"],
  [{ action: "accept" }, "once"],
  [{ action: "accept", content: { scope: "for ever" } }, "once"],
  [{ action: "decline" }, "no"],
  [{ action: "cancel" }, undefined],
])("the reply %j to a request for consent means %s", (reply, approval) => {
  expect(toApproval(reply)).toBe(approval);
});

test("who is asked about a tool that asks each time is offered no consent for the conversation", () => {
  const request = { tool: "send_email", arguments: {}, rule: "always" };
  expect(toApprovalQuestion({ ...request, onlyOnce: true }, "en")).toMatchObject({ form: { properties: {} } });
  expect(toApprovalQuestion({ ...request, onlyOnce: false }, "en")).toMatchObject({
    form: { properties: { scope: { enum: ["once", "conversation"], default: "once" } } },
  });
});

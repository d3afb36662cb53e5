import { expect, test } from "vitest";
import type { ElicitationReply } from "../../../src/core/forms/elicitation.ts";
import type { Approval } from "../../../src/core/tools/tool.ts";
import { fromElicitationReply, toElicitation } from "../../../src/render/questions/elicitation-wording.ts";

const request = { kind: "call" as const, tool: "send_email", arguments: {}, rule: "always" };

test.each<[ElicitationReply, Approval | undefined]>([
  [{ action: "accept", content: { scope: "once" } }, "once"],
  [{ action: "accept", content: { scope: "conversation" } }, "conversation"],
  [{ action: "accept", content: {} }, "once"],
  [{ action: "accept" }, "once"],
  [{ action: "accept", content: { scope: "for ever" } }, "once"],
  [{ action: "decline" }, "no"],
  [{ action: "cancel" }, "dismissed"],
])("the reply %j to a request for consent means %s", (reply, approval) => {
  expect(fromElicitationReply({ ...request, onlyOnce: false }, reply)).toBe(approval);
});

test("who is asked about a tool that asks each time is offered no consent for the conversation", () => {
  expect(toElicitation({ ...request, onlyOnce: true }, "en")).toMatchObject({ schema: { properties: {} } });
  expect(toElicitation({ ...request, onlyOnce: false }, "en")).toMatchObject({
    schema: { properties: { scope: { enum: ["once", "conversation"], default: "once" } } },
  });
});

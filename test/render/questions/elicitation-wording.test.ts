import { expect, test } from "vitest";
import type { ElicitationReply } from "../../../src/core/forms/elicitation.ts";
import type { UserReply } from "../../../src/core/questions/user-question.ts";
import type { Approval } from "../../../src/core/tools/tool.ts";
import {
  findReplyProblem,
  fromElicitationReply,
  toElicitation,
} from "../../../src/render/questions/elicitation-wording.ts";

const request = { kind: "call" as const, tool: "send_email", arguments: {}, rule: "always" };

test.each<[ElicitationReply, Approval | undefined]>([
  [{ action: "accept", content: { scope: "once" } }, "once"],
  [{ action: "accept", content: { scope: "conversation" } }, "conversation"],
  [{ action: "accept", content: {} }, "once"],
  [{ action: "accept" }, "once"],
  [{ action: "accept", content: { scope: "once", note: "zzz" } }, "once"],
  [{ action: "accept", content: { scope: "for ever" } }, undefined],
  [{ action: "accept", content: { scope: "" } }, undefined],
  [{ action: "accept", content: { scope: true } }, undefined],
  [{ action: "accept", content: { scope: ["once"] } }, undefined],
  [{ action: "decline", content: { scope: "for ever" } } as ElicitationReply, "no"],
  [{ action: "decline" }, "no"],
  [{ action: "cancel" }, "dismissed"],
])("the reply %j to a request for consent means %s", (reply, approval) => {
  expect(fromElicitationReply({ ...request, onlyOnce: false }, reply)).toBe(approval);
});

test("a reply with a value that is not offered is told with what is allowed, in both languages", () => {
  const invalid: ElicitationReply = { action: "accept", content: { scope: "zzz" } };
  expect(findReplyProblem({ ...request, onlyOnce: false }, invalid)).toEqual({
    zh: 'scope 的值 "zzz" 无效（允许：once, conversation）。',
    en: 'invalid value "zzz" for scope (allowed: once, conversation).',
  });
});

test("a consent that was not offered for the conversation is one for the call", () => {
  const reply: ElicitationReply = { action: "accept", content: { scope: "conversation" } };
  expect(fromElicitationReply({ ...request, onlyOnce: true }, reply)).toBe("once");
});

test.each<[unknown, UserReply<"plan"> | undefined]>([
  [undefined, { reply: "yes" }],
  [{ change: " " }, { reply: "yes" }],
  [{ change: "Shorter." }, { reply: "edit", words: "Shorter." }],
  [{ change: 5 }, undefined],
  [{ change: false }, undefined],
])("the content %j of a reply to a plan means %j", (content, meaning) => {
  const reply = { action: "accept", ...(content !== undefined && { content }) } as ElicitationReply;
  expect(fromElicitationReply({ kind: "plan", steps: [] }, reply)).toEqual(meaning);
});

test("the reply to a server's own form reaches that server as it is", () => {
  const form = { kind: "form" as const, from: "shop", message: "Size?", schema: { type: "object", properties: {} } };
  const reply: ElicitationReply = { action: "accept", content: { size: "zzz" } };
  expect(fromElicitationReply(form, reply)).toEqual(reply);
});

test("who is asked about a tool that asks each time is offered no consent for the conversation", () => {
  expect(toElicitation({ ...request, onlyOnce: true }, "en")).toMatchObject({ schema: { properties: {} } });
  expect(toElicitation({ ...request, onlyOnce: false }, "en")).toMatchObject({
    schema: { properties: { scope: { enum: ["once", "conversation"], default: "once" } } },
  });
});

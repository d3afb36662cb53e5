import { expect, test } from "vitest";
import { createSessions, toConversationKey } from "../../../src/app/conversations/sessions.ts";

test("a conversation that was left remembers nothing any more, and no other one forgets", () => {
  const sessions = createSessions();
  const [left, other] = [toConversationKey({ owner: "a" }, "conv-1"), toConversationKey({ owner: "b" }, "conv-1")];
  for (const key of [left, other]) sessions.of(key, true).approved.add("write");
  sessions.forget(left);
  expect([...sessions.of(left, false).approved]).toEqual([]);
  expect([...sessions.of(other, false).approved]).toEqual(["write"]);
});

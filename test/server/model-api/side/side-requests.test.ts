import { expect, test } from "vitest";
import { findDocumentNumbers } from "../../../../src/server/model-api/document-numbers.ts";
import { findSideRequest } from "../../../../src/server/model-api/side/side-requests.ts";
import { toConversation } from "../../../../src/server/model-api/to-conversation.ts";
import { chatFields } from "../../../../src/server/openai/read-chat.ts";
import { readMessages } from "../../../../src/server/openai/read-messages.ts";
import { plainQuestions, questionWithDocuments, sideRequests, title } from "../../../fakes/chat-pages.ts";

function isSide(messages: object[], { isStreamed = false, hasTools = false } = {}): boolean {
  const { said } = toConversation(readMessages(messages as Parameters<typeof readMessages>[0]), chatFields);
  return findSideRequest({ isStreamed, hasTools, messages: said }) !== undefined;
}

test.each(sideRequests)("a chat page's own request is known: $name", ({ messages, stream = false }) => {
  expect(isSide(messages, { isStreamed: stream })).toBe(true);
  expect(isSide(messages, { isStreamed: stream, hasTools: true })).toBe(false);
});

test("a person's question is not taken for one, however it begins, and neither is a task that is streamed or follows others", () => {
  expect(plainQuestions.length).toBe(50);
  const taken = plainQuestions.filter((content) => isSide([{ role: "user", content }]));
  expect(taken).toEqual([]);
  expect(isSide(title, { isStreamed: true })).toBe(false);
  expect(isSide([{ role: "user", content: "Hi" }, { role: "assistant", content: "Hello" }, ...title])).toBe(false);
});

test("documents are known by the number that a program gives them, and an answer's own references are none", () => {
  const read = (...texts: string[]): number[] => [...findDocumentNumbers(texts)];
  expect(read(questionWithDocuments)).toEqual([1, 2]);
  expect(read('<document index="3"><source>a.txt</source></document>', "<source name='x' id='4'>")).toEqual([3, 4]);
  expect(read('[{"id":5,"content":"a","sourceUrl":"https://a.example"}]')).toEqual([5]);
  expect(read("As they say:\n[6] Turing 1950\n- [7]: Minsky")).toEqual([6, 7]);
  expect(read("The list is [8]. See a[9], and\nx [10] y\n[11]\n[0] none [501] none\n[999] too high")).toEqual([]);
  const said = [
    { role: "user", content: "Hi" },
    { role: "assistant", content: "Hello [1].\n\nReferences\n\n- [1] A https://a.example" },
    { role: "user", content: "And?" },
  ];
  expect(toConversation(readMessages(said), chatFields).documents.size).toBe(0);
});

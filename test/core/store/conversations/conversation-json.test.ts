import { expect, test } from "vitest";
import { toConversationJson } from "../../../../src/core/store/conversations/conversation-json.ts";

test("a turn has the texts that were said to its run, and none of a message that is an image alone", () => {
  const image = { type: "image", image: { hash: "a".repeat(64), mediaType: "image/png", size: 1 } } as const;
  const messages = [
    { role: "user", content: "In Rome." },
    { role: "user", content: [image] },
    { role: "user", content: [{ type: "text", text: "Or Bari," }, image, { type: "text", text: "as here." }] },
  ] as const;
  const conversation = {
    ...{ id: "conv-1", summary: undefined, sources: { all: () => [] } },
    turns: [{ question: "Where?", answer: "There.", steps: [{ results: [], messages }] }],
  };
  const [turn] = toConversationJson(conversation as never, []).turns;
  expect(turn).toEqual({ question: "Where?", answer: "There.", messages: ["In Rome.", "Or Bari,\nas here."] });
});

import { expect, test } from "vitest";
import { type AnswerTextOptions, createAnswerText } from "../../../src/agent/answer/answer-text.ts";
import { createMemoryStore } from "../../../src/store/memory/memory-store.ts";

async function openAnswer(options: Partial<AnswerTextOptions> = {}) {
  const conversation = await createMemoryStore().create();
  await conversation.sources.number([{ title: "A", url: "https://a.example", snippet: "" }]);
  return createAnswerText({ conversation, language: "en", emit() {}, ...options });
}

const list = "References\n\n- [1] A https://a.example";

test.each([false, true])(
  "an answer that is nothing but a list of sources is shown and kept as that list",
  async (omitsReferences) => {
    const answer = await openAnswer({ omitsReferences });
    answer.push("Sources\n- [1] A");
    answer.finish();
    expect(answer.shown.trim()).toBe(list);
    expect(answer.kept).toBe(list);
  },
);

test("the list under an answer is not kept, and not shown where its reader lists the sources", async () => {
  const answer = await openAnswer({ omitsReferences: true });
  answer.push("It is high [1].");
  answer.finish();
  expect([answer.shown, answer.kept]).toEqual(["It is high [1].", "It is high [1]."]);
});

test("text that was held back before a text with words of its own for the conversation is kept", async () => {
  const answer = await openAnswer();
  answer.push("I look it up.\n\n");
  answer.push("No model.", "No answer.");
  answer.push("\n\n");
  answer.push("So be it.");
  answer.finish();
  expect(answer.shown).toBe("I look it up.\n\nNo model.\n\nSo be it.");
  expect(answer.kept).toBe("I look it up.\n\nNo answer.\n\nSo be it.");
});

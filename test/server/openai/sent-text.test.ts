import { expect, test } from "vitest";
import { createSentText } from "../../../src/server/model-api/sent-text.ts";

/** What is sent of an answer that is told as `told`, and once more from its beginning on as `again`. */
function send(told: string[], again: string[]): [string, boolean] {
  const sent = createSentText();
  const before = told.map(sent.push);
  sent.restart();
  return [[...before, ...again.map(sent.push)].join(""), sent.isCut()];
}

test("an answer that begins anew goes on where it was, if it says the same", () => {
  expect(send(["It is ", "kno"], ["It", " is known", " now."])).toEqual(["It is known now.", false]);
  expect(send([], ["All."])).toEqual(["All.", false]);
});

test("an answer that begins anew with other words, or ends before, is cut where it was", () => {
  expect(send(["It is ", "kno"], ["It ", "was", " known."])).toEqual(["It is kno", true]);
  expect(send(["It is known."], ["It is"])).toEqual(["It is known.", true]);
});

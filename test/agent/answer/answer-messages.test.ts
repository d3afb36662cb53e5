import { expect, test } from "vitest";
import { renderPlainResults, toAnswerMessage } from "../../../src/agent/answer/write-answer.ts";
import type { Observation } from "../../../src/agent/loop/act.ts";

function observation(name: string, text: string, more: Partial<Observation> = {}): Observation {
  const call = { id: name, name, argumentsText: "{}", arguments: {} };
  return { call, result: { ok: true, text }, text, ran: true, tries: 1, isRepeated: false, isNews: true, ...more };
}

const refused = observation("wipe_disk", "The limit of tool calls is reached.", { ran: false });

test("the answer model reads the results of the calls that ran, and nothing of those that were refused", () => {
  const handed = toAnswerMessage("Which disk?", [refused, observation("list_disks", "disk a")], "m4rk", "en");
  expect(handed).toBe("Which disk?\n\nTool results:\n\n1. list_disks {}\n<<<result m4rk\ndisk a\nresult m4rk>>>");
});

test("the answer model reads the question alone when no call ran", () => {
  expect(toAnswerMessage("Which disk?", [refused], "m4rk", "en")).toBe("Which disk?");
});

test("the results that stand in for an answer leave out the calls that were refused", () => {
  const bare = renderPlainResults([refused, observation("list_disks", "disk a")], "en");
  expect(bare).toBe("No model could write the answer. These are the results so far:\n\nlist_disks {}\ndisk a");
});

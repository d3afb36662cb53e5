import { expect, test } from "vitest";
import { createReadableAnswer } from "../../../../../src/cli/chat/interface/plain/readable-answer.ts";

function speak(text: string, locale: "en" | "zh" = "en"): string[] {
  const word = createReadableAnswer(locale);
  return text.split("\n").flatMap((line) => word(line) ?? []);
}

const table = "| City | Degrees |\n|:--|--:|\n| Beijing | 21 |\n| a \\| b | |\nAfter | it.";

test("a row of a table is told with the names of its columns, once each", () => {
  expect(speak(table)).toEqual(["City, Degrees", "City: Beijing; Degrees: 21", "City: a \\| b", "After | it."]);
  expect(speak("| 城市 |\n|---|\n| 北京 |", "zh")).toEqual(["| 城市 |", "城市：北京"]);
});

test("a rule is a word, and code stays as it is", () => {
  expect(speak("a\n\n---\n\n* * *\n- b")).toEqual(["a", "", "(rule)", "", "(rule)", "- b"]);
  const code = "```md\n---\n| a |\n|---|\n| 1 |\n```";
  expect(speak(`${code}\n---`)).toEqual([...code.split("\n"), "(rule)"]);
});

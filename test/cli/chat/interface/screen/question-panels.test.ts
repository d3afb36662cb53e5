import { expect, test } from "vitest";
import { createQuestionPanels } from "../../../../../src/cli/chat/interface/screen/question-panels.ts";
import type { Key } from "../../../../../src/cli/terminal/keys/key.ts";

const press = (name: Key["name"], text = ""): Key => ({ name, text, ctrl: false, alt: false, shift: false });

test.each<[boolean, Key[]]>([
  [true, [press("text", "y"), press("enter")]],
  [true, [press("escape")]],
  [false, [press("text", "y"), press("enter")]],
])("it is told that no question stands there any more (run shown: %s)", async (isRunShown, keys) => {
  const seen: string[] = [];
  const panels = createQuestionPanels({
    handler: { locale: "en" },
    onChange: () => seen.push(panels.panel === undefined ? "none" : "asks"),
    isRunShown: () => isRunShown,
    onReply: () => seen.push("reply"),
  });
  const picking = { title: "Let it run?", choices: [{ value: "once", label: "Yes", words: ["y"] }] };
  const picked = panels.pick(picking, new AbortController().signal);
  await expect.poll(() => panels.panel).toBeDefined();
  for (const key of keys) panels.panel?.press(key);
  await picked;
  expect(seen[0]).toBe("asks");
  expect(seen.slice(-2)).toEqual(["none", "reply"]);
});

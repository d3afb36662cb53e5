import { expect, test } from "vitest";
import { createTypedLine } from "../../../../../src/cli/chat/interface/plain/typed-line.ts";
import { mostTyped } from "../../../../../src/cli/terminal/editor/buffer.ts";

test("a text that is too long to be set is told every time, and the line stays as it is, also on the way through the history", () => {
  const refused: number[] = [];
  let shown = "";
  const tooLong = "x".repeat(mostTyped + 1);
  const line = createTypedLine({
    history: { entries: ["oldest", tooLong] },
    echo: (text) => {
      shown += text;
    },
    refuse: (units) => void refused.push(units),
  });
  const press = (name: "up" | "down"): void => line.press({ name, text: "", ctrl: false, alt: false, shift: false });
  line.set("half typed");
  line.set(tooLong);
  expect(line.text).toBe("half typed");
  press("up");
  expect(line.text).toBe("half typed");
  press("up");
  expect(line.text).toBe("oldest");
  press("down");
  expect(line.text).toBe("oldest");
  press("down");
  expect(line.text).toBe("half typed");
  expect(refused).toEqual([1, 1, 1].map((more) => mostTyped + more));
  const back = "\b \b";
  expect(shown).toBe(`half typed${back.repeat(10)}oldest${back.repeat(6)}half typed`);
});

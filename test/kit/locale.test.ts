import { expect, test } from "vitest";
import { detectLanguage } from "../../src/kit/locale.ts";
import { startCpuClock } from "../fakes/cpu-time.ts";

test.each([
  ["What is in @图.png?", "en"],
  ["What is in @my\\ 图.png", "en"],
  ["@图.png", "zh"],
  ["@picture.png里有什么", "zh"],
  ["看看 @picture.png", "zh"],
  ["Translate 图", "zh"],
  ["Ask @图 about it", "zh"],
  ["1 + 1", "zh"],
])("the language of %j is %s", (text, language) => {
  expect(detectLanguage(text, "zh")).toBe(language);
});

test("a long name takes no long time", () => {
  const cpuTime = startCpuClock();
  expect(detectLanguage(`@${"\\".repeat(100_000)}图 a`, "en")).toBe("zh");
  expect(cpuTime()).toBeLessThan(1000);
});

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
  ["What does 你好 mean?", "en"],
  ["How do I say “今天的天气怎么样” in English?", "en"],
  ['Please translate "我的书" into French', "en"],
  ["请翻译 What does it mean", "zh"],
  ["What Is Love 这首歌是谁唱的", "zh"],
  ["Lord of the Rings 讲了什么", "zh"],
  ["iPhone 17 Pro Max 价格", "zh"],
  ["How does useEffect 监听窗口大小, 怎么写", "zh"],
  ["“What is it” 用中文怎么说", "zh"],
  ["1 + 1", "zh"],
])("the language of %j is %s", (text, language) => {
  expect(detectLanguage(text, "zh")).toBe(language);
});

test("a long name takes no long time", () => {
  const cpuTime = startCpuClock();
  expect(detectLanguage(`@${"\\".repeat(100_000)}图 a`, "en")).toBe("zh");
  expect(cpuTime()).toBeLessThan(1000);
});

import { expect, test } from "vitest";
import { detectLanguage } from "../../src/kit/locale.ts";
import { startCpuClock } from "../fakes/cpu-time.ts";

test.each([
  ["What is in @图.png?", "en"],
  ["What is in @my\\ 图.png", "en"],
  ["@图.png", "zh"],
  ["@picture.png里有什么", "zh"],
  ["看看 @picture.png", "zh"],
  ["Translate 图", "en"],
  ["Ask @图 about it", "zh"],
  ["What does 你好 mean?", "en"],
  ["How do I say “今天的天气怎么样” in English?", "en"],
  ['Please translate "我的书" into French', "en"],
  ["Compare 华为 with Apple", "en"],
  ["Who is 李在明?", "en"],
  ["Translate 我爱你 into French", "en"],
  ["List hotels in 杭州", "en"],
  ["Find flights to 上海 next Monday", "en"],
  ["How much does 茅台 cost?", "en"],
  ["What does 你好吗 mean?", "en"],
  ["Show me 报告.pdf", "en"],
  ["What's the difference between 的 and 得?", "en"],
  ["What Do You Mean 歌词", "zh"],
  ["Can You Feel the Love Tonight 中文翻译", "zh"],
  ["Who Are You 学校2015 演员表", "zh"],
  ["Docker 是什么", "zh"],
  ["list 和 tuple 的区别", "zh"],
  ["count(*) 和 count(1) 的区别", "zh"],
  ["where is null 和 is not null 的区别", "zh"],
  ["make install 报错", "zh"],
  ["create table 语法", "zh"],
  ["check in 柜台几点开", "zh"],
  ["explain 执行计划", "zh"],
  ["do while 循环", "zh"],
  ["log in 失败", "zh"],
  ["show create table 报错怎么解决 mysql", "zh"],
  ["Make 教程", "zh"],
  ["const a = 1; 这段代码有什么问题 console.log(a)", "zh"],
  ["Python 怎么 pip install from source", "zh"],
  ["OK 帮我订票", "zh"],
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

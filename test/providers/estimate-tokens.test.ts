import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ContentPart, Message } from "../../src/core/model/messages.ts";
import { type Model, type ModelRequest, type Turn, type Usage, withCall } from "../../src/core/model/model.ts";
import {
  countImageTokens,
  estimateMessageTokens,
  estimateTokens,
  estimateToolTokens,
  weighByExpressions,
} from "../../src/providers/estimate-tokens.ts";
import { claudeImages, openaiImages, qwenImages } from "../../src/providers/image-rules.ts";
import { withContextWarning } from "../../src/providers/middleware/context-warning.ts";
import { weighPlainText } from "../../src/providers/weigh-text.ts";
import { hear, question, settings, weather } from "./reading.ts";

const user = {
  id: "usr_29f84h",
  name: "Ada Lovelace",
  email: "ada@example.com",
  roles: ["admin", "editor"],
  settings: { theme: "dark", notifications: true, pageSize: 25 },
  lastLogin: "2026-07-01T09:30:00Z",
};

// Counted with o200k: the sentences by OpenAI ("Hello GPT-4o", language tokenization), the others by gpt-tokenizer.
const counted: [name: string, text: string, tokens: number][] = [
  ["English", "Hello, my name is GPT-4o. I'm a new type of language model, it's nice to meet you!", 24],
  ["Chinese", "你好，我的名字是GPT-4o。我是一种新型的语言模型，很高兴见到你!", 24],
  ["Japanese", "こんにちは、私の名前はGPT-4oです。私は新しいタイプの言語モデルです。初めまして！", 26],
  ["Korean", "안녕하세요, 제 이름은 GPT-4o입니다. 저는 새로운 유형의 언어 모델입니다, 만나서 반갑습니다!", 27],
  ["Russian", "Привет, меня зовут GPT-4o. Я — новая языковая модель, приятно познакомиться!", 23],
  ["German", "Hallo, mein Name is GPT-4o. Ich bin ein neues KI-Sprachmodell. Es ist schön, dich kennenzulernen.", 29],
  ["Spanish", "Hola, me llamo GPT-4o. Soy un nuevo tipo de modelo de lenguaje, ¡es un placer conocerte!", 26],
  ["JSON with indentation", JSON.stringify(user, undefined, 2), 96],
  ["JSON on one line", JSON.stringify(user), 62],
  ["names of programs", "toString constructor hasOwnProperty valueOf", 8],
  ["many commas", "hello, I am a text, and I have commas. a,b,c", 15],
  [
    "emoji",
    "Hey! 😀 Did you see the game last night?? 🏀🔥 Absolutely insane finish 😱😱 We should totally watch the next one together 🍕🎉 Let me know! 👍",
    39,
  ],
];

describe("an estimate", () => {
  test.each(counted)("of %s is within 15 %% of the count", (_, text, tokens) => {
    expect(Math.abs(estimateTokens(text) / tokens - 1)).toBeLessThanOrEqual(0.15);
  });

  test("of nothing is nothing, and of anything that can be seen at least one", () => {
    expect(estimateTokens("")).toBe(0);
    for (const text of ["a", "雨", "\ud800", "\u0000", "!"]) expect(estimateTokens(text)).toBeGreaterThanOrEqual(1);
  });

  test("of a very long text is made from samples, and is no worse", () => {
    const both = 'It rains in Bergen. 卑尔根在下雨。{"city": "Bergen", "days": 235}\n';
    const share = estimateTokens(both.repeat(10_000)) / (10 * estimateTokens(both.repeat(1000)));
    expect(share).toBeGreaterThan(0.99);
    expect(share).toBeLessThan(1.01);
  });

  test("of a conversation counts its calls, its frames and its tools", () => {
    const call = { id: "a", name: "weather", argumentsText: '{"city":"Bergen"}', arguments: { city: "Bergen" } };
    const messages: Message[] = [
      { role: "user", content: "Rain?" },
      { role: "assistant", content: "", toolCalls: [call] },
    ];
    expect(estimateMessageTokens(messages)).toBeGreaterThan(
      2 * 4 + estimateTokens("Rain?") + estimateTokens(call.argumentsText),
    );
    expect(estimateToolTokens([])).toBe(0);
    expect(estimateToolTokens([weather])).toBeGreaterThan(20);
  });
});

describe("the warning that the context window is nearly full", () => {
  /** Answers each call with the next usage. */
  function counting(...usages: Partial<Usage>[]): Model {
    return withCall({
      provider: "test",
      model: "m",
      async stream(): Promise<Turn> {
        const usage = { inputTokens: 0, outputTokens: 0, reasoningTokens: 0, cachedTokens: 0, ...usages.shift() };
        return { message: { role: "assistant", content: "ok", toolCalls: [] }, finish: "stop", usage };
      },
    });
  }

  const window = { contextWindow: 3000, maxTokens: 1000 };
  const long = (words: number): ModelRequest => ({
    ...question,
    messages: [{ role: "user", content: "word ".repeat(words) }],
  });

  test("comes from 80 % of what is left beside the output on", async () => {
    const model = withContextWarning(counting(), { settings: settings(window), locale: "en" });
    expect((await hear(model, long(1500))).notices).toEqual([]);
    const [notice] = (await hear(model, long(1650))).notices;
    expect(notice).toMatch(/test\/m.*about 165\d tokens, 83% of the 2000.*window 3000/);
    expect((await hear(model, { ...long(1500), maxTokens: 1500 })).notices).toHaveLength(1);
    // Hidden reasoning takes room, too.
    const quirks = { alwaysReasons: true, reasoningAllowance: { default: 500 } };
    const reasoning = withContextWarning(counting(), { settings: settings({ ...window, quirks }), locale: "en" });
    expect((await hear(reasoning, long(1500))).notices).toHaveLength(1);
  });

  test("counts on from what the vendor counted, and comes once for turns in a row", async () => {
    const model = withContextWarning(counting({ inputTokens: 1400, outputTokens: 100 }, { inputTokens: 1700 }), {
      settings: settings(window),
      locale: "zh",
    });
    const messages: Message[] = [{ role: "user", content: "Hi." }];
    const first = await hear(model, { messages });
    messages.push(first.turn.message, { role: "user", content: "word ".repeat(200) });
    const second = await hear(model, { messages });
    messages.push(second.turn.message, { role: "user", content: "Go on." });
    const third = await hear(model, { messages });
    expect([first, second, third].map(({ notices }) => notices.length)).toEqual([0, 1, 0]);
    expect(second.notices[0]).toMatch(/上下文窗口将满.*170\d.*85%/);
  });

  test("does not come where the window is not known", async () => {
    const model = withContextWarning(counting(), { settings: settings({ contextWindow: undefined }), locale: "en" });
    expect((await hear(model, long(50_000))).notices).toEqual([]);
  });
});

test.each([
  ["Claude", claudeImages, [1000, 1000], 1334],
  ["Claude, reduced", claudeImages, [4000, 3000], 1600],
  ["GPT-4o, one tile", openaiImages, [512, 512], 255],
  ["GPT-4o, reduced to 1024 by 768", openaiImages, [4096, 3072], 765],
  ["Qwen", qwenImages, [1024, 1024], 1024],
] as const)("an image is counted as its vendor does: %s", (_, { tokens }, [width, height], expected) => {
  expect(tokens && countImageTokens({ width, height }, tokens)).toBe(expected);
});

test("an image of unknown size is counted, and a document that the vendor reads costs its pages too", () => {
  const image: ContentPart = { type: "image", image: { hash: "a", mediaType: "image/png", size: 9 } };
  const file: ContentPart = {
    type: "file",
    file: { hash: "b", mediaType: "application/pdf", size: 100_000 },
    text: "",
  };
  const count = (part: ContentPart, quirks = {}) =>
    estimateMessageTokens([{ role: "user", content: [part] }], { quirks });
  expect(count(image)).toBeGreaterThan(1_000);
  expect(count(file)).toBeLessThan(50);
  expect(count(file, { documents: ["application/pdf"] })).toBeGreaterThan(2_000);
});

test("a text of common characters is weighed in one pass as the expressions weigh it", () => {
  const pieces = [
    "getUserName",
    "it's",
    "we’ll",
    "'",
    "  ",
    "\n",
    "(x) => [1, 22]",
    "2026-11-26",
    "汉字很多",
    "，",
    "。”",
    "—",
    "don't_go",
    "A'",
    "ABCdef",
    "（a）",
  ];
  const text = fc
    .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: "grapheme-ascii", maxLength: 6 })))
    .map((list) => list.join(""));
  fc.assert(
    fc.property(text, (written) => {
      expect(weighPlainText(written)).toBeCloseTo(weighByExpressions(written), 6);
    }),
  );
  expect(weighPlainText("ein schöner Tag")).toBeUndefined();
  expect(weighPlainText("word 😀")).toBeUndefined();
});

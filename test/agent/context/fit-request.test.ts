import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  countRequestTokens,
  countTokens,
  getContextWindow,
  getRequestBudget,
} from "../../../src/agent/context/context-window.ts";
import { fence } from "../../../src/agent/context/fence.ts";
import { type FitOptions, fitRequest } from "../../../src/agent/context/fit-request.ts";
import { createToolResults } from "../../../src/agent/tools/tool-results.ts";
import { toPlainText } from "../../../src/core/model/message-content.ts";
import type { ImagePart, Message } from "../../../src/core/model/messages.ts";
import type { Model, ModelRequest } from "../../../src/core/model/model.ts";
import { estimateMessageTokens } from "../../../src/providers/estimate-tokens.ts";
import { scriptedModel } from "../../fakes/model.ts";

const marker = "abc123abc123";

describe("fitting a request into a window", () => {
  test("leaves a request that fits alone, and does not even count it", () => {
    const model = { ...modelOf(32_000), countTokens: () => expect.unreachable("counted") };
    const request = requestOf([user("What is Duet?"), ...round("1", ["short"])]);
    expect(fitRequest(model, request, fittingOf(model))).toEqual({ request, cut: "nothing" });
  });

  test("shortens the oldest results first, keeps their fences, and leaves the newest whole", () => {
    const model = modelOf(8000);
    const request = requestOf([
      user("Compare them."),
      ...round("1", ["old ".repeat(4000)]),
      ...round("2", ["new ".repeat(4000)]),
    ]);
    const { request: fitted, cut } = fitRequest(model, request, fittingOf(model));
    expect(cut).toBe("results");
    const [, , old = "", , recent] = fitted.messages.map(({ content }) => content);
    expect(recent).toBe(request.messages[4]?.content);
    expect(old.length).toBeLessThan(9000);
    expect(old).toMatch(new RegExp(`^<<<result ${marker}\nold [\\s\\S]+ old \nresult ${marker}>>>$`));
    expect(old).toContain(`read_result {"result": 1, "from": `);
  });

  test("shortens the results that a hand-over holds inside one message, and keeps its question", () => {
    const model = modelOf(8000);
    const results = ["a ".repeat(9000), "b ".repeat(9000)];
    const content = ["Compare them.", ...results.map((text, index) => `${index + 1}. tool {}\n${fence(text, marker)}`)];
    const request = requestOf([user(content.join("\n\n"))], []);
    const { request: fitted } = fitRequest(model, request, fittingOf(model));
    const text = toPlainText(fitted.messages[0]?.content ?? "", "en");
    expect(text).toMatch(/^Compare them\.\n\n1\. tool \{\}\n<<<result/);
    expect(text.split(`<<<result ${marker}\n`)).toHaveLength(3);
    expect(text).toMatch(/2\. tool \{\}\n<<<result abc123abc123\nb b b/);
    expect(countRequestTokens(model, fitted)).toBeLessThanOrEqual(getRequestBudget(model, fitted));
  });

  test("cuts results before images, drops the oldest image whole, and keeps the question's words", () => {
    const model = modelOf(8000);
    const image = (name: string): ImagePart => {
      return { type: "image", image: { hash: name, mediaType: "image/png", size: 9, name }, width: 1000, height: 1000 };
    };
    const ask: Message = { role: "user", content: [{ type: "text", text: "Compare them." }, image("old.png")] };
    const shown = (name: string, text: string): Message[] =>
      round(name, [text]).map((message) =>
        message.role === "tool" && typeof message.content === "string"
          ? { ...message, content: [{ type: "text", text: message.content }, image(`${name}.png`)] }
          : message,
      );
    const long = requestOf([ask, ...shown("1", "a ".repeat(6000))]);
    const cut = fitRequest(model, long, fittingOf(model));
    expect(cut.cut).toBe("results");
    expect(JSON.stringify(cut.request)).not.toContain("left out]");
    expect(countRequestTokens(model, cut.request)).toBeLessThanOrEqual(getRequestBudget(model, long));
    const many = requestOf([ask, ...["1", "2", "3", "4", "5"].flatMap((name) => shown(name, "short"))]);
    const dropped = fitRequest(model, many, fittingOf(model));
    expect(countRequestTokens(model, dropped.request)).toBeLessThanOrEqual(getRequestBudget(model, many));
    expect(dropped.request.messages[0]?.content).toBe(
      "Compare them.\n\n[image old.png: image/png, 1000×1000, left out]",
    );
    expect(dropped.request.messages.at(-1)?.content).toContainEqual(image("5.png"));
    expect(many.messages[0]).toEqual(ask);
  });

  test("shortens the question only when nothing else is left, and only where the window is known", () => {
    const model = modelOf(8000);
    const question = `${"line of a log\n".repeat(9000)}what failed?`;
    const request = requestOf([user(question), ...round("1", ["r".repeat(3000)])]);
    const { request: fitted, cut } = fitRequest(model, request, fittingOf(model));
    expect(cut).toBe("words");
    expect(fitted.messages[0]?.content).toMatch(/^line of a log\n[\s\S]+characters left out[\s\S]+what failed\?$/);
    expect(countRequestTokens(model, fitted)).toBeLessThanOrEqual(getRequestBudget(model, fitted));

    const kept = fitRequest(model, request, { ...fittingOf(model), mayCutWords: false });
    expect(kept.request.messages[0]?.content).toBe(question);
  });

  test("never shortens system prompts, calls, or a turn that its author signed", () => {
    const model = modelOf(1000);
    const signed: Message = {
      role: "assistant",
      content: "signed ".repeat(1000),
      toolCalls: [],
      native: { wire: "w", provider: "p", model: "m", payload: {} },
    };
    const request = requestOf([{ role: "system", content: "s".repeat(9000) }, signed, ...round("1", ["r"])]);
    const { request: fitted } = fitRequest(model, request, fittingOf(model));
    expect(fitted.messages.slice(0, 3)).toEqual(request.messages.slice(0, 3));
  });

  test("fits any conversation of results into any window, keeps their order and pairs, and changes nothing it was given", () => {
    const text = fc.tuple(
      fc.constantFrom("word ", "汉字", '{"a":[1,2]}', "\n", "😀"),
      fc.integer({ min: 0, max: 3000 }),
    );
    const rounds = fc.array(fc.array(text, { minLength: 1, maxLength: 4 }), { maxLength: 6 });
    fc.assert(
      fc.property(rounds, fc.integer({ min: 4000, max: 200_000 }), fc.boolean(), (all, window, counts) => {
        const model = counts ? modelOf(window) : { ...modelOf(window), countTokens: undefined };
        const results = all.map((some) => some.map(([unit, times]) => unit.repeat(times)));
        const request = requestOf([user("the question"), ...results.flatMap((some, n) => round(`${n}`, some))]);
        const before = JSON.stringify(request);
        const { request: fitted, cut } = fitRequest(model, request, fittingOf(model));

        expect(JSON.stringify(request)).toBe(before);
        expect(countRequestTokens(model, fitted)).toBeLessThanOrEqual(getRequestBudget(model, request));
        expect(fitted.messages.map(idsOf)).toEqual(request.messages.map(idsOf));
        expect(fitted.messages[0]).toEqual(user("the question"));
        if (countRequestTokens(model, request) <= getRequestBudget(model, request)) expect(cut).toBe("nothing");
        for (const message of fitted.messages) expect(toPlainText(message.content, "en").isWellFormed()).toBe(true);
      }),
      { numRuns: 25 },
    );
  }, 120_000);
});

describe("the window", () => {
  test("is 32,000 tokens where nobody knows it, and three tenths of it are kept for the answer", () => {
    const model = scriptedModel([]);
    expect(getContextWindow(model)).toBe(32_000);
    expect(getRequestBudget(model, {})).toBe(22_400);
    expect(getRequestBudget(model, { maxTokens: 12_000 })).toBe(20_000);
    expect(getRequestBudget(model, { maxTokens: 1_000_000 })).toBe(16_000);
  });

  test("keeps room for hidden reasoning beside the answer", () => {
    const model = { ...scriptedModel([]), maxTokens: 4000, outputAllowance: 8000 };
    expect(getRequestBudget(model, {})).toBe(20_000);
    expect(getRequestBudget(model, { maxTokens: 6000 })).toBe(18_000);
  });

  test("of a model that reads nothing but the question is endless", () => {
    expect(getRequestBudget(modelOf(Number.POSITIVE_INFINITY), { maxTokens: 5 })).toBe(Number.POSITIVE_INFINITY);
  });

  test("without a count of the model's own takes three Latin letters or one Chinese character for a token", () => {
    expect(countTokens(scriptedModel([]), "abcdef")).toBe(2);
    expect(countTokens(scriptedModel([]), "汉字，です")).toBe(5);
  });
});

function modelOf(contextWindow: number): Model {
  return { ...scriptedModel([]), contextWindow, countTokens: estimateMessageTokens };
}

function fittingOf(model: Model): FitOptions {
  const results = createToolResults({ tools: new Map(), longest: 20_000, language: "en" });
  const shorten = (text: string, kept: number) => results.shorten(text, kept, true);
  return { budget: getRequestBudget(model, {}), marker, mayCutWords: true, shorten };
}

function requestOf(
  messages: Message[],
  tools = [{ name: "tool", description: "A tool.", inputSchema: {} }],
): ModelRequest {
  return { messages, tools };
}

function user(content: string): Message {
  return { role: "user", content };
}

/** A turn with calls and their results. */
function round(id: string, results: string[]): Message[] {
  const calls = results.map((_, index) => ({
    id: `${id}-${index}`,
    name: "tool",
    argumentsText: "{}",
    arguments: {},
  }));
  return [
    { role: "assistant", content: "", toolCalls: calls },
    ...results.map(
      (text, index): Message => ({
        role: "tool",
        callId: `${id}-${index}`,
        tool: "tool",
        content: fence(text, marker),
        ok: true,
      }),
    ),
  ];
}

function idsOf(message: Message): string[] {
  if (message.role === "assistant") return message.toolCalls.map(({ id }) => id);
  return [message.role === "tool" ? message.callId : message.role];
}

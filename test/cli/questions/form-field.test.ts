import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createTerminalUser, limitThinkingTime } from "../../../src/cli/questions/ask-question.ts";
import { type Line, toPlainText } from "../../../src/cli/terminal/text/line.ts";
import type { Elicitation, ElicitationReply } from "../../../src/core/forms/elicitation.ts";
import { readForm } from "../../../src/core/forms/form.ts";
import { createElicit } from "../../../src/core/questions/user.ts";
import type { Locale } from "../../../src/kit/locale.ts";
import { everyField, formQuestion } from "../../fakes/mcp-questions.ts";
import { compileCache, configFile, type ProgramOptions } from "../../fakes/program.ts";
import { startFakeProvider } from "../../fakes/provider.ts";
import { startTerminal } from "../../fakes/terminal.ts";
import { runWarmProgram as runProgram } from "../../fakes/warm-program.ts";

/** A person who types these lines and then leaves. */
function person(lines: string[], locale: Locale = "en") {
  const screen: string[] = [];
  const left: string[] = [];
  const reader = {
    locale,
    async ask(query: string) {
      const line = lines.shift();
      screen.push(`${query}${line ?? "<end>"}`);
      return line;
    },
    write: (line: string | Line) => void screen.push(toPlainText(line)),
    leave: () => void left.push("left"),
  };
  return { screen, left, ask: createTerminalUser({ ...reader, showsEvents: false }).ask };
}

const signal = new AbortController().signal;

function form(schema: object, message = "Who is travelling?"): Elicitation {
  return { kind: "form", from: "trips", message, schema: { ...schema } };
}

async function fill(schema: object, lines: string[], locale: Locale = "en") {
  const { ask, screen, left } = person(lines, locale);
  const reply = await ask(form(schema), signal);
  return { reply, screen, left };
}

const oneField = (field: object, required = false) => ({
  type: "object",
  properties: { a: field },
  required: required ? ["a"] : [],
});

describe("a form", () => {
  test("is asked field by field, and sent when the person says so", async () => {
    const lines = ["Li Lei", "", "3", "", "n", "2", "", "1", "y"];
    const { reply, screen } = await fill(everyField, lines);
    expect(reply).toEqual({
      action: "accept",
      content: { name: "Li Lei", seats: 3, window: false, meal: "m2", size: "l", extras: ["wifi"] },
    });
    expect(screen).toEqual([
      "❓ The MCP server trips asks:",
      "│ Who is travelling?",
      "  /decline declines, /cancel cancels. trips sees what you type: never type a password or a key.",
      "│ Name (required) — Your full name",
      "Name: Li Lei",
      "│ email",
      "email [e-mail · Enter: skip]: ",
      "│ Seats",
      "Seats [whole number 1..8 · Enter: 2]: 3",
      "│ weight",
      "weight [number · Enter: skip]: ",
      "│ Window seat",
      "Window seat [y/n · Enter: y]: n",
      "│ Meal (required)",
      "│   1) Rice",
      "│   2) Noodles",
      "Meal [1-2]: 2",
      "│ size",
      "│   1) Small",
      "│   2) Large",
      "size [1-2 · Enter: Large]: ",
      "│ Extras",
      "│   1) wifi",
      "│   2) bag",
      "Extras [1-2, several allowed, such as 1,2 · Enter: skip]: 1",
      "Send this to trips? [y/n] y",
    ]);
  });

  test.each([
    [{ type: "integer" }, "１２", 12],
    [{ type: "number" }, "-1.5e3", -1500],
    [{ type: "boolean" }, "是", true],
    [{ type: "string" }, "/home/li", "/home/li"],
    [{ type: "string", enum: ["10", "20"] }, "2", "20"],
    [{ type: "string", enum: ["10", "20"] }, "20", "20"],
    [{ type: "array", items: { enum: ["x", "y", "z"] } }, "1、3", ["x", "z"]],
    [{ type: "string", format: "date" }, "2028-02-29", "2028-02-29"],
    [{ type: "string", format: "date-time" }, "2026-11-30T14:00:00+08:00", "2026-11-30T14:00:00+08:00"],
  ])("takes for %j the line %s", async (field, line, value) => {
    expect((await fill(oneField(field), [line, "yes"])).reply).toEqual({ action: "accept", content: { a: value } });
  });

  test.each([
    [{ type: "integer" }, "1.5", "a whole number"],
    [{ type: "integer" }, "0x10", "a whole number"],
    [{ type: "number", maximum: 5 }, "6", "5 or less"],
    [{ type: "boolean" }, "maybe", "y or n"],
    [{ type: "string", enum: ["a"] }, "2", "one of the choices"],
    [{ type: "array", minItems: 2, items: { enum: ["x", "y"] } }, "1", "at least 2 choices"],
    [{ type: "string", format: "email" }, "li", "an e-mail address, such as li@example.com"],
    [{ type: "string", format: "uri" }, "example", "a full URL, such as https://example.com"],
    [{ type: "string", format: "date" }, "2026-02-30", "a date, such as 2026-11-30"],
    [
      { type: "string", format: "date-time" },
      "2026-02-03 10:00",
      "a time with a time zone, such as 2026-11-30T14:00:00Z",
    ],
  ])("says in one line what is wanted for %j in place of %s, and asks again", async (field, line, wanted) => {
    const { screen, reply } = await fill(oneField(field), [line, "/cancel"]);
    expect(screen.filter((shown) => shown.startsWith("Expected"))).toEqual([`Expected: ${wanted}.`]);
    expect(reply).toEqual({ action: "cancel" });
  });

  test("insists on what is required, and lets a list that may be empty be so", async () => {
    expect((await fill(oneField({ type: "string" }, true), ["", "x", "y"])).screen).toContain("Expected: an answer.");
    const list = oneField({ type: "array", items: { enum: ["x"] } }, true);
    expect((await fill(list, ["", "y"])).reply).toEqual({ action: "accept", content: { a: [] } });
  });

  test.each([
    ["/decline", "decline", 0],
    ["/cancel", "cancel", 0],
    ["/exit", "cancel", 1],
    [undefined, "cancel", 0],
  ])("ends at %s with %s, also at its last question", async (line, action, times) => {
    const last = line === undefined ? [] : [line];
    for (const lines of [last, ["x", ...last]]) {
      const { reply, left } = await fill(oneField({ type: "string" }), lines);
      expect(reply).toEqual({ action });
      expect(left).toHaveLength(times);
    }
  });

  test("is not sent at a no, and one without fields is a plain question", async () => {
    expect((await fill(oneField({ type: "string" }), ["x", "hm", "n"])).reply).toEqual({ action: "decline" });
    const plain = await fill({ type: "object", properties: {} }, ["y"]);
    expect(plain.reply).toEqual({ action: "accept", content: {} });
    expect(plain.screen.at(-1)).toBe("Answer yes to trips? [y/n] y");
  });

  test("speaks Chinese", async () => {
    const { screen } = await fill(oneField({ type: "integer", default: 2 }), ["x", "", "好"], "zh");
    expect(screen).toEqual([
      "❓ MCP 服务器 trips 提问：",
      "│ Who is travelling?",
      "  /decline 拒绝，/cancel 取消。trips 会看到你输入的内容：不要输入密码或密钥。",
      "│ a",
      "a [整数 · 回车：2]: x",
      "需要：整数。",
      "a [整数 · 回车：2]: ",
      "把以上内容发送给 trips？[y/n] 好",
    ]);
  });

  test("shows nothing of a server's without a bar, whatever it writes", async () => {
    const { ask, screen } = person([]);
    const message = `Hello\nLet rm run? [y/n]\r\u001b[2J${"\nx".repeat(100)}`;
    await ask(form({ type: "object", properties: {} }, message), signal);
    expect(screen.slice(1, 4)).toEqual(["│ Hello", "│ Let rm run? [y/n]\\u{d}\\u{1b}[2J", "│ x"]);
    expect(screen.filter((line) => line.startsWith("│"))).toHaveLength(41);
  });

  test("that is withdrawn says so", async () => {
    const screen: string[] = [];
    const user = createTerminalUser({
      locale: "en",
      ask: async () => Promise.reject(new Error("withdrawn")),
      write: (line) => void screen.push(toPlainText(line)),
      showsEvents: false,
    });
    await expect(user.ask(form(everyField), signal)).rejects.toThrow("withdrawn");
    expect(screen.at(-1)).toBe("– The question was withdrawn.");
    expect(await createElicit(limitThinkingTime(user), signal)?.(form(everyField))).toBeUndefined();
  });
});

test.each([
  [{ userPassword: {} }, true],
  [{ a: { title: "API key" } }, true],
  [{ a: { description: "请输入密码" } }, true],
  [{ card_number: {} }, true],
  [{ accessToken: {} }, true],
  [{ tokens: { title: "Most tokens" } }, false],
  [{ shipping: {} }, false],
  [{ passenger: { title: "Passenger" } }, false],
])("the field %j gets a warning about secrets: %s", async (fields, isWarned) => {
  const properties = Object.fromEntries(
    Object.entries(fields).map(([name, more]) => [name, { type: "string", ...more }]),
  );
  const { screen } = await fill({ type: "object", properties }, []);
  expect(screen.some((line) => line.startsWith("⚠ This seems to ask for a password"))).toBe(isWarned);
});

test.each([
  ["y", { action: "accept" }],
  ["n", { action: "decline" }],
  ["/cancel", { action: "cancel" }],
])("a page is shown with its host and not opened; at %s the answer is %j", async (line, reply) => {
  const { ask, screen } = person([line]);
  const url = "https://xn--exmple-cua.com/sign-in?state=1";
  expect(await ask({ kind: "url", from: "trips", message: "Sign in", url }, signal)).toEqual(reply);
  expect(screen).toEqual([
    "🔗 The MCP server trips asks you to open a page:",
    "│ Sign in",
    `  ${url}\n  Host: xn--exmple-cua.com`,
    "  Nothing was opened. Open it yourself if you trust that host. /decline declines, /cancel cancels.",
    `Have you finished there? [y/n] ${line}`,
  ]);
});

test("every kind of field is read", () => {
  const kinds = readForm(everyField)?.map(({ kind }) => kind);
  expect(new Set(kinds)).toEqual(new Set(["text", "number", "boolean", "choice", "choices"]));
});

/** The built program with a server that asks, and two models. */
async function desk(questions: object): Promise<{ args: string[]; options: ProgramOptions; told(): string }> {
  const provider = await startFakeProvider();
  onTestFinished(() => provider.close());
  provider.script("cheap", { toolCalls: [{ name: "quiz__ask", arguments: { questions } }] }, { text: "Enough." });
  provider.script("strong", { text: "That is settled." });
  const file = join(import.meta.dirname, "../../fakes/mcp-questions.ts");
  const config = await configFile({
    models: {
      functionCall: { provider: "openai", model: "cheap", baseUrl: provider.openaiUrl },
      answer: { provider: "anthropic", model: "strong", baseUrl: provider.anthropicUrl },
    },
    mcpServers: { quiz: { command: process.execPath, args: [file], env: compileCache() } },
    locale: "en",
  });
  return {
    args: ["--config", config],
    options: { env: { OPENAI_API_KEY: "k1", ANTHROPIC_API_KEY: "k2" } },
    told: () => JSON.stringify(provider.requests("cheap").at(-1)?.body.messages),
  };
}

function reply(key: string, given: ElicitationReply): string {
  return JSON.stringify(JSON.stringify({ [key]: given })).slice(1, -1);
}

const small = {
  type: "object",
  properties: { name: { type: "string", title: "Name" }, seats: { type: "integer", default: 2 } },
  required: ["name"],
};

describe("the built program at a terminal", () => {
  test("lets a person fill in a server's form in the chat, and the server gets it", async () => {
    const it = await desk({ who: formQuestion(small) });
    const terminal = await startTerminal(["chat", "--mode", "agent", ...it.args], it.options);
    await terminal.shows(" > ");
    terminal.type("Book it\r");
    await terminal.shows("❓ The MCP server quiz asks:");
    await terminal.shows("Name: ");
    await terminal.reply("Li Lei\r");
    await terminal.shows("seats [whole number · Enter: 2]: ");
    await terminal.reply("many\r");
    await terminal.shows("Expected: a whole number.");
    await terminal.reply("\r");
    await terminal.shows("Send this to quiz? [y/n] ");
    await terminal.reply("y\r");
    await terminal.shows("That is settled.");
    expect(it.told()).toContain(reply("who", { action: "accept", content: { name: "Li Lei", seats: 2 } }));
    terminal.type("/exit\r");
    expect(await terminal.ended()).toBe(0);
  });

  test("asks in `duet ask` too, and a no reaches the server", async () => {
    const it = await desk({ who: formQuestion(small) });
    const terminal = await startTerminal(["ask", "Book it", ...it.args], it.options);
    await terminal.shows("Name: ");
    await terminal.reply("/decline\r");
    expect(await terminal.ended()).toBe(0);
    expect(it.told()).toContain(reply("who", { action: "decline" }));
  });

  test("asks where a tool is called by hand", async () => {
    const it = await desk({});
    const call = JSON.stringify({ questions: { who: formQuestion(small) } });
    const terminal = await startTerminal(["tools", "call", "quiz__ask", call, ...it.args], it.options);
    await terminal.shows("Name: ");
    await terminal.reply("Han Meimei\r");
    await terminal.shows("seats [");
    await terminal.reply("4\r");
    await terminal.shows("Send this to quiz?");
    await terminal.reply("y\r");
    await terminal.shows('{"who":{"action":"accept","content":{"name":"Han Meimei","seats":4}}}');
    expect(await terminal.ended()).toBe(0);
  });

  test("takes a form back at Ctrl-C, and the chat goes on", async () => {
    const it = await desk({ who: formQuestion(small) });
    const terminal = await startTerminal(["chat", "--mode", "agent", ...it.args], it.options);
    await terminal.shows(" > ");
    terminal.type("Book it\r");
    await terminal.shows("Name: ");
    terminal.type("\u0003");
    await terminal.shows("Cancelled.");
    terminal.type("/exit\r");
    expect(await terminal.ended()).toBe(0);
  });

  test("refuses the question at once where nobody can be asked, which is nobody's word", async () => {
    const it = await desk({ who: formQuestion(small) });
    const ask = await runProgram(["ask", "Book it", ...it.args], it.options);
    expect(ask).toMatchObject({ code: 0, stdout: expect.stringContaining("That is settled.") });
    expect(it.told()).toContain("There is no user who can be asked now");
  });
});

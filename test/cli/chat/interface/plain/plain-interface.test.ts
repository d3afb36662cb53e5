import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createStepLog } from "../../../../../src/cli/chat/steps/step-log.ts";
import type { AgentEvent } from "../../../../../src/core/run/events.ts";
import { createBuiltinTool } from "../../../../../src/tools/create-tool.ts";
import { scriptedModel } from "../../../../fakes/model.ts";
import { temporaryFolder } from "../../../../fakes/program.ts";
import { runAll } from "../../../../fakes/run.ts";
import { patienceMs } from "../../../../runner/patience.ts";
import { openPlainConsole, type PlainConsole } from "../plain-console.ts";

const prompt = "Chat mode > ";
/** Printable text, lines and tabs: no escape sequence, and not even a carriage return. */
const plain = /^[^\p{Cc}]*(?:[\n\t][^\p{Cc}]*)*$/u;

describe("plain lines on a terminal", () => {
  test("prompt, take a line and prompt again, without one escape sequence", async () => {
    const { chatInterface, type, stdout } = openPlainConsole();
    const first = chatInterface.next();
    await type("你好 hello\r");
    expect(await first).toBe("你好 hello");
    chatInterface.write("Answered.", [
      { text: "in " },
      { text: "two spans", styles: ["strong"], href: "https://a.example" },
    ]);
    const second = chatInterface.next();
    await type("bye\r");
    expect(await second).toBe("bye");
    expect(stdout()).toBe(`${prompt}你好 hello\nAnswered.\nin two spans\n${prompt}bye\n`);
  });

  test("keep what is typed while something goes on in its order, the half-typed end behind the next prompt", async () => {
    const { chatInterface, type, stdout } = openPlainConsole();
    void chatInterface.next();
    await type("one\rtwo\rhalf");
    chatInterface.write("First.");
    expect(await chatInterface.next()).toBe("two");
    const third = chatInterface.next();
    await type(" a line\r");
    expect(await third).toBe("half a line");
    expect(stdout()).toBe(`${prompt}one\nFirst.\n${prompt}two\n${prompt}half a line\n`);
  });

  test("take no more of a line than can be sent, and say so once", async () => {
    const { chatInterface, type, stdout } = openPlainConsole();
    const line = chatInterface.next();
    for (let sent = 0; sent < 1_500_000; sent += 100_000) await type("x".repeat(100_000));
    await type("\r");
    expect(await line).toHaveLength(1_000_000);
    expect(stdout().match(/Too long.*/g)).toEqual([
      "Too long, not inserted: 1100000 characters (allowed: at most 1000000 in total)",
    ]);
    const second = chatInterface.next();
    await type("short\r");
    expect(await second).toBe("short");
  });

  test("keep a line that is too long behind the earlier ones, so that a shorter end can follow them", async () => {
    const { chatInterface, type, stdout } = openPlainConsole();
    const whole = chatInterface.next();
    await type("the beginning\\\r");
    await type("x".repeat(999_990));
    await type("\r");
    expect(
      stdout()
        .replace(/x{999990}/g, "(all)")
        .split("\n")
        .slice(-2),
    ).toEqual(["Too long, not inserted: 1000004 characters (allowed: at most 1000000 in total)", "… (all)"]);
    await type("\u007f".repeat(10));
    await type("\r");
    expect((await whole)?.replace(/x{999980}/, "(all but ten)")).toBe("the beginning\n(all but ten)");
  });

  test("keep a line that is too long also where it was typed before its prompt", async () => {
    const { chatInterface, type, stdout } = openPlainConsole();
    void chatInterface.next();
    await type(`one\rthe beginning\\\r${"x".repeat(999_990)}\r`);
    expect(stdout()).toContain("Too long, not inserted: 1000004 characters");
    const second = chatInterface.next();
    expect(stdout().endsWith(`${prompt}${"x".repeat(999_990)}`)).toBe(true);
    await type("\u0015the end\r");
    expect(await second).toBe("the beginning\nthe end");
  });

  test("take back what is typed, a Chinese character and an emoji as a whole", async () => {
    const { chatInterface, type, emulator } = openPlainConsole();
    const line = chatInterface.next();
    await type("ab中👩‍👩‍👧\u007f\u007f");
    expect(await emulator.rows()).toEqual([`${prompt}ab    `]);
    expect((await emulator.cursor()).column).toBe(prompt.length + 2);
    await type("c words gone\u0017\u0017d\u0015你\r");
    expect(await line).toBe("你");
  });

  test("go on with a line that ends in a backslash, and recall what was typed", async () => {
    const entries: string[] = [];
    const history = { entries, add: (text: string) => void entries.push(text) };
    const { chatInterface, type } = openPlainConsole({ history });
    const both = chatInterface.next();
    await type("one\\\rtwo\r");
    expect(await both).toBe("one\ntwo");
    const again = chatInterface.next();
    await type("draft\u001b[A\u001b[A\u001b[B\u001b[B\u001b[A\r");
    expect(await again).toBe("one two");
    expect(entries).toEqual(["one\ntwo", "one two"]);
  });

  test("have a text that is put into the input behind the next prompt, one of several lines as a label", async () => {
    const { chatInterface, type, stdout } = openPlainConsole();
    chatInterface.prefill("Write a.txt");
    const line = chatInterface.next();
    expect(stdout()).toBe(`${prompt}Write a.txt`);
    chatInterface.prefill("another one");
    await type(" and b.txt\r");
    expect(await line).toBe("Write a.txt and b.txt");
    chatInterface.prefill("One\nTwo");
    const lines = chatInterface.next();
    expect(stdout().split("\n").at(-1)).toBe(`${prompt}[pasted 2 lines]`);
    await type(" and three\r");
    expect(await lines).toBe("One\nTwo and three");
  });

  test("complete with the tab key, and show what there is to choose from", async () => {
    const completions = (text: string): { text: string; help?: string }[] =>
      text === "/mo" ? [{ text: "/mode", help: "the mode" }, { text: "/model" }] : [{ text: "/mode " }];
    const complete = async (text: string) => ({ from: 0, completions: completions(text) });
    const { chatInterface, type, stdout } = openPlainConsole({ handler: { complete } });
    const line = chatInterface.next();
    await type("/mo\t");
    expect(stdout()).toBe(`${prompt}/mo\n/mode  the mode\n${prompt}/mo\n/model\n${prompt}/mo`);
    await type("d\t");
    await type("agent\r");
    expect(await line).toBe("/mode agent");
  });

  test("let a line from outside stand by itself, the prompt with what is typed below it", async () => {
    const { chatInterface, type, stdout } = openPlainConsole();
    void chatInterface.next();
    await type("half");
    chatInterface.write("A server has gone.");
    expect(stdout()).toBe(`${prompt}half\nA server has gone.\n${prompt}half`);
  });

  test("show another prompt where one stands, once", async () => {
    let mode = "Chat";
    const { chatInterface, stdout } = openPlainConsole({ handler: { prompt: () => `${mode} > ` } });
    void chatInterface.next();
    chatInterface.refresh();
    mode = "Agent";
    chatInterface.refresh();
    expect(stdout()).toBe("Chat > \nAgent > ");
  });

  test("leave at the second Ctrl-C, at Ctrl-D, and when the terminal goes away", async () => {
    const interrupted = openPlainConsole();
    const line = interrupted.chatInterface.next();
    await interrupted.type("half\u0003");
    expect(interrupted.stdout()).toBe(`${prompt}half\nPress Ctrl-C again to exit.\n${prompt}`);
    const before = interrupted.stdout();
    await interrupted.type("\u0003");
    expect(await line).toBeUndefined();
    interrupted.chatInterface.write("To continue it");
    expect(interrupted.stdout().slice(before.length)).toBe("\nTo continue it\n");
    const left = openPlainConsole();
    const next = left.chatInterface.next();
    await left.type("\u0004");
    expect(await next).toBeUndefined();
    left.chatInterface.write("To continue it");
    expect(left.stdout()).toBe(`${prompt}\nTo continue it\n`);
    const gone = openPlainConsole();
    const last = gone.chatInterface.next();
    await gone.endInput();
    expect(await last).toBeUndefined();
  });

  test("who stops what goes on is told what waited for it; who leaves leaves for good", async () => {
    const leave = vi.fn();
    const { chatInterface, type, stdout } = openPlainConsole({ handler: { stop: () => true, leave } });
    void chatInterface.next();
    await type("one\rtwo\rhalf\u0003");
    expect(stdout()).toBe(`${prompt}one\nNot sent: two\n`);
    const next = chatInterface.next();
    expect(stdout()).toMatch(/Chat mode > half$/);
    expect(leave).not.toHaveBeenCalled();
    await type("\u0015\u0004");
    expect(await next).toBeUndefined();
    expect(leave).toHaveBeenCalled();
  });

  test("show what models, tools and servers say, but never obey it", async () => {
    const { chatInterface, stdout } = openPlainConsole({ handler: { prompt: () => "\u001b]0;x\u0007> " } });
    void chatInterface.next();
    chatInterface.write("\u001b[2J\u009b1m\u202eevil\r", [{ text: "\u001b[31m" }]);
    await chatInterface.writeTurn({ question: "\u001bc", answer: "\u0007", steps: ["\u001b[5m"] });
    expect(stdout()).toMatch(plain);
    expect(stdout()).toContain("\\u{1b}[2J");
  });
});

describe("a question in plain lines", () => {
  test("is answered by a line that was typed after it alone, and what was half typed comes back", async () => {
    const { chatInterface, type, stdout } = openPlainConsole();
    void chatInterface.next();
    await type("first\rqueued\ry");
    const reply = chatInterface.reader?.ask("Let it run? [y/n] ", new AbortController().signal);
    await type("n\r");
    expect(await reply).toBe("n");
    expect(await chatInterface.next()).toBe("queued");
    const line = chatInterface.next();
    await type("es\r");
    expect(await line).toBe("yes");
    expect(stdout()).toContain("Let it run? [y/n] n\n");
  });

  test("has a reply that is not kept among what was typed before", async () => {
    const history = { entries: [], add: vi.fn() };
    const { chatInterface, type } = openPlainConsole({ history });
    void chatInterface.next();
    await type("Send it\r");
    const reply = chatInterface.reader?.ask("Your address? ", new AbortController().signal);
    await type("1 Private Road\r");
    expect(await reply).toBe("1 Private Road");
    expect(history.add.mock.calls).toEqual([["Send it"]]);
  });

  test("is taken back when the run is stopped", async () => {
    const run = new AbortController();
    const stop = (): boolean => {
      run.abort(new Error("stopped"));
      return true;
    };
    const { chatInterface, type } = openPlainConsole({ handler: { stop } });
    const reply = chatInterface.reader?.ask("Sure? ", run.signal);
    const refused = expect(reply).rejects.toThrow("stopped");
    await type("half\u0003");
    await refused;
    const line = chatInterface.next();
    await type("fresh\r");
    expect(await line).toBe("fresh");
  });

  test("has no reply at the end of the input, which stops what goes on", async () => {
    const stop = vi.fn(() => true);
    const { chatInterface, type } = openPlainConsole({ handler: { stop } });
    const reply = chatInterface.reader?.ask("Sure? ", new AbortController().signal);
    await type("\u0004");
    expect(await reply).toBeUndefined();
    expect(stop).toHaveBeenCalled();
    expect(await chatInterface.reader?.ask("Sure? ", new AbortController().signal)).toBeUndefined();
    expect(await chatInterface.next()).toBeUndefined();
  });

  test("keeps what a run says off the screen until it is answered", async () => {
    const { chatInterface, type, stdout } = openPlainConsole();
    const shown = chatInterface.openRun("en");
    const reply = chatInterface.reader?.ask("Sure? ", new AbortController().signal);
    const taken = shown.handle({ type: "tool-progress", callId: "1", message: "Let rm run? [y/n] " });
    await type("n");
    expect(stdout()).toBe("Sure? n");
    await type("\r");
    await Promise.all([reply, taken]);
    expect(stdout()).toBe("Sure? n\n… Let rm run? [y/n]\n");
  });
});

describe("for a screen reader", () => {
  test("a run is told in words and whole lines, its steps by the numbers that open them", async () => {
    const terminal = await told({ isScreenReader: true });
    const lines = terminal.stdout().split("\n");
    expect(lines).toContain("thought: #1 I need the weather.");
    expect(lines).toContain('tool: #2 weather {"city":"Beijing"}');
    expect(lines.find((line) => line.startsWith("ok: #2 weather ("))).toMatch(/ms\) Sunny$/);
    expect(lines).toContain("It is sunny.");
    expect(terminal.stdout()).toMatch(plain);
    expect(terminal.stdout()).not.toMatch(/\p{Extended_Pictographic}/u);
  });

  test("the answer is written line by line, and the half one only at its end", async () => {
    const { chatInterface, stdout } = openPlainConsole({ isScreenReader: true });
    const shown = chatInterface.openRun("en");
    for (const text of ["One ", "line\nand ", "half"]) await shown.handle({ type: "answer-delta", text });
    expect(stdout()).toBe("One line\n");
    await shown.handle({ type: "evaluation", verdict: "continue", reason: "custom", message: "done" });
    expect(stdout()).toBe("One line\nand half\nevaluation: done\n");
    await shown.close();
  });

  test("a run that says nothing for ten seconds says that it goes on, and what it does", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const { chatInterface, stdout } = openPlainConsole({ isScreenReader: true, handler: { locale: "zh" } });
    const shown = chatInterface.openRun("zh");
    await shown.handle({ type: "tool-start", callId: "1", step: 1, tool: "slow", arguments: {} });
    vi.advanceTimersByTime(20_000);
    await shown.close();
    vi.advanceTimersByTime(60_000);
    expect(stdout()).toBe("工具：slow {}\n仍在进行，已 10 秒：slow\n仍在进行，已 20 秒：slow\n");
  });
});

describe("a pipe", () => {
  test("leaves a line out that has no end, says so once, and takes the next", async () => {
    const { chatInterface, type, endInput, stderr } = openPlainConsole({ isTerminal: false });
    for (let sent = 0; sent < 3_000_000; sent += 100_000) await type("x".repeat(100_000));
    expect(stderr()).toBe("Not sent, the line is too long: 1100000 bytes so far (allowed: at most 1000000)\n");
    await type("\nnext\r\n好");
    await endInput();
    expect([await chatInterface.next(), await chatInterface.next(), await chatInterface.next()]).toEqual([
      "next",
      "好",
      undefined,
    ]);
    expect(stderr().split("\n")).toHaveLength(2);
  });

  test("is answered line by line: no prompt, the answer alone on stdout, nobody to ask", async () => {
    const { chatInterface, type, endInput, stdout, stderr } = openPlainConsole({ isTerminal: false });
    await type("one\ntwo");
    await endInput();
    expect(await chatInterface.next()).toBe("one");
    const shown = chatInterface.openRun("en");
    await shown.handle({ type: "answer-delta", text: "The answer." });
    await shown.handle({ type: "evaluation", verdict: "continue", reason: "custom", message: "done" });
    chatInterface.write("Cleared.");
    expect(await chatInterface.next()).toBe("two");
    expect(await chatInterface.next()).toBeUndefined();
    expect(chatInterface.reader).toBeUndefined();
    expect([stdout(), stderr()]).toEqual(["The answer.", "⚖ done\nCleared.\n"]);
  });
});

async function told(options: Parameters<typeof openPlainConsole>[0]): Promise<PlainConsole> {
  const weather = createBuiltinTool({
    name: "weather",
    description: "The weather of a city.",
    inputSchema: { type: "object" },
    run: async () => ({ ok: true, text: "Sunny" }),
  });
  const thinking = { text: "I need the weather.", calls: [{ id: "1", name: "weather", input: { city: "Beijing" } }] };
  const models = { functionCall: scriptedModel([thinking, "Enough."]), answer: scriptedModel(["It is sunny."]) };
  const events: AgentEvent[] = await runAll({ models, tools: [weather] });
  const steps = createStepLog();
  const terminal = openPlainConsole({ ...options, steps });
  const shown = terminal.chatInterface.openRun("en");
  for (const event of events) {
    steps.handle(event);
    await shown.handle(event);
  }
  await shown.close();
  return terminal;
}

test("what comes while an editor has the terminal waits for it, and the edited text is no reply to a question of that time", async () => {
  const mark = join(await temporaryFolder(), "mark");
  const wait = `touch '${mark}'; while [ -e '${mark}' ]; do sleep 0.02; done; printf edited >`;
  const { chatInterface, type, stdout } = openPlainConsole({ environment: { PATH: process.env.PATH, EDITOR: wait } });
  const typed = chatInterface.next();
  await type("draft\u0018");
  await vi.waitFor(() => expect(existsSync(mark)).toBe(true), patienceMs);
  const before = stdout();
  chatInterface.write("a line of the run");
  const reply = chatInterface.reader?.ask("Sure? ", new AbortController().signal);
  expect(stdout()).toBe(before);
  await rm(mark);
  await vi.waitFor(() => expect(stdout()).toContain("Sure? "), patienceMs);
  expect(stdout().slice(before.length)).toContain("a line of the run\n");
  await type("yes\r");
  expect(await reply).toBe("yes");
  await type("\r");
  expect(await typed).toBe("edited");
});

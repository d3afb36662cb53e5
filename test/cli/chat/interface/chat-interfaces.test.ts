import { stripVTControlCharacters } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { keyCodes } from "../../../fakes/key-codes.ts";
import { onlyOurSequences } from "../../../fakes/our-sequences.ts";
import { program, programEnvironment } from "../../../fakes/program.ts";
import { openPseudoTerminal } from "../../../fakes/pseudo-terminal.ts";
import type { Terminal } from "../../../fakes/terminal.ts";
import { type ChatTerminal, isGivenBack, openChatTerminal } from "../open-chat.ts";

const answer = "# Paris\n\n**Paris** has `2` million.\n\n| a | b |\n|---|---|\n| 中文 | 1 |\n";

const modules = {
  "asked.mjs": `export default {
  name: "asked", description: "000", inputSchema: { type: "object" }, async run() { return "0".repeat(30); },
};`,
};

/** One question with a tool that needs consent, a picker and a way out. */
async function visit(chatTerminal: ChatTerminal, terminal: Terminal): Promise<void> {
  const toolCalls = [{ name: "asked", arguments: {} }];
  chatTerminal.provider.script("only", { reasoning: "I ask.", toolCalls }, { text: answer });
  terminal.type("Where?\r");
  await terminal.shows("Let asked run?");
  await terminal.reply("y\r");
  await terminal.shows(" million.");
  await terminal.shows("tok in total");
  terminal.type("/exit\r");
  expect(await terminal.ended()).toBe(0);
}

function chatTerminal(): Promise<ChatTerminal> {
  return openChatTerminal({ tools: modules, ask: ["asked"] });
}

/** A shell in a terminal, which runs a line with the command of a chat. */
async function openShell(line: (command: string) => string) {
  const here = await openChatTerminal();
  here.provider.script("only", { text: "Paris." });
  const command = `"${process.execPath}" "${program}" --mode chat --config "${here.home}/duet.config.json"`;
  const written: Buffer[] = [];
  const waiting = new Set<() => void>();
  const bytes = (): Buffer => Buffer.concat(written);
  const terminal = openPseudoTerminal({
    command: ["sh", "-c", line(command)],
    cwd: here.cwd,
    env: await programEnvironment(here.env),
    ...{ columns: 80, lines: 24 },
    onBytes(more) {
      written.push(more);
      for (const look of waiting) look();
    },
  });
  onTestFinished(terminal.kill);
  return {
    terminal,
    bytes,
    /** Waits until the text stands behind what an earlier wait has found. */
    shows(text: string, from = 0): Promise<number> {
      return new Promise((resolve) => {
        const look = (): void => {
          const at = bytes().indexOf(text, from);
          if (at < 0) return;
          waiting.delete(look);
          resolve(at + text.length);
        };
        waiting.add(look);
        look();
      });
    },
  };
}

/** Matches what shows a colour; bold and the like are none. */
const looks = /\u001b\[(?:[0-9;]*;)?(?:3[0-9]|9[0-7]|4[0-7])(?:;[0-9;]*)?m/;

describe("a chat on terminals of every kind", () => {
  test.each([
    ["TERM=dumb", { env: { TERM: "dumb" } }, []],
    ["--screen-reader", {}, ["--screen-reader"]],
  ])("%s: not one escape sequence", async (name, options, args) => {
    const here = await chatTerminal();
    const terminal = await here.open(["--mode", "agent", ...args], options);
    await visit(here, terminal);
    const written = terminal.bytes().toString();
    expect(written).not.toContain("\u001b");
    if (name === "--screen-reader") expect(written).not.toMatch(/[✓✗🔧💭💡⚖⚠ℹ🧭📝📋🔐❓⏸▶☑☒⏭]/u);
  });

  test.each([
    ["the screen", ""],
    ["plain lines", "--screen-reader"],
  ])("%s: Ctrl-Z gives the terminal to the shell, which continues the chat where it was", async (_, option) => {
    const { terminal, shows } = await openShell((command) => `set -m; ${command} ${option}; echo in the shell; fg`);
    await shows("Chat mode > ");
    terminal.write("half");
    const typed = await shows("half");
    terminal.write(keyCodes["ctrl-z"]);
    const continued = await shows("half", await shows("in the shell", typed));
    terminal.write("\r");
    await shows("Paris.", continued);
    terminal.write("/exit\r");
    expect(await terminal.ended).toBe(0);
  });

  test("NO_COLOR: no colours, all else as ever", async () => {
    const here = await chatTerminal();
    const terminal = await here.open(["--mode", "agent"], { env: { NO_COLOR: "1" } });
    await visit(here, terminal);
    isGivenBack(terminal);
    expect(terminal.bytes().toString()).not.toMatch(looks);
    expect(terminal.scrollback().join("\n")).toContain("│ 中文 │ 1 │");
  });

  test.each([
    [40, 12, "dark", "15;0"],
    [20, 6, "light", "0;15"],
  ])("%d x %d and %s: what is asked and what is marked stay in view", async (columns, lines, _, COLORFGBG) => {
    const here = await chatTerminal();
    const terminal = await here.open(["--mode", "agent"], { columns, lines, env: { COLORFGBG } });
    here.provider.script("only", { toolCalls: [{ name: "asked", arguments: {} }] }, { text: answer });
    terminal.type("Where?\r");
    await terminal.stands("Let asked run?");
    await terminal.reply(keyCodes.down);
    await terminal.stands("❯ Yes, once");
    await terminal.stands("Let asked run?");
    terminal.press("up", "up", "down", "down", "down", "down", "down");
    await terminal.stands("❯ Never in this co");
    await terminal.stands("Let asked run?");
    terminal.press("up", "up");
    await terminal.stands("❯ No ");
    terminal.press("enter");
    await terminal.showsWords("tok in total");
    terminal.type("/exit\r");
    expect(await terminal.ended()).toBe(0);
    isGivenBack(terminal);
  });

  test("a resize during a run and during a picker leaves each finished line once, the input below", async () => {
    const here = await chatTerminal();
    const rest = Promise.withResolvers<void>();
    const lines = Array.from({ length: 30 }, (_, index) => `- item ${index} of the list\n`).join("");
    here.provider.script("only", { text: `${lines}\nand so `, delayMs: 3, hang: "after-text", until: rest.promise });
    const terminal = await here.open();
    terminal.type("List\r");
    await terminal.stands("and so");
    let typed = "";
    for (const [columns, rows] of [
      [60, 20],
      [52, 12],
      [110, 45],
      [100, 40],
    ] as const) {
      await terminal.resize(columns, rows);
      typed += "x";
      terminal.type("x");
      await terminal.stands(`> ${typed}`);
    }
    rest.resolve();
    await terminal.shows("tok in total");
    terminal.press("ctrl-c");
    await terminal.hides(typed);
    terminal.type("/mode\r");
    await terminal.stands("Esc cancels");
    await terminal.resize(52, 15);
    await terminal.stands("Esc cancels");
    await terminal.resize(90, 30);
    await terminal.stands("Esc cancels");
    terminal.press("down", "escape");
    await terminal.hides("Esc cancels");
    const all = terminal.scrollback();
    for (let index = 0; index < 30; index++)
      expect(all.filter((line) => line.includes(`item ${index} of the list`))).toHaveLength(1);
    terminal.press("ctrl-d");
    expect(await terminal.ended()).toBe(0);
    isGivenBack(terminal);
  });
});

describe("a chat of which one end is a pipe", () => {
  async function shell(
    line: (command: string) => string,
    keys: string,
  ): Promise<{ code: number | null; bytes: Buffer }> {
    const { terminal, bytes } = await openShell(line);
    terminal.write(keys);
    return { code: await terminal.ended, bytes: bytes() };
  }

  test("stdout a pipe: it takes what is typed and writes plain lines", async () => {
    const { code, bytes } = await shell((command) => `${command} | cat`, "The capital?\r/exit\r");
    expect(code).toBe(0);
    expect(bytes.toString()).toContain("Paris.");
    expect(bytes.toString()).not.toContain("\u001b");
  });

  test("stdin a pipe: each line is answered, on the terminal", async () => {
    const { code, bytes } = await shell((command) => `echo 'The capital?' | ${command}`, "");
    expect(code).toBe(0);
    expect(stripVTControlCharacters(bytes.toString())).toContain("Paris.");
    onlyOurSequences(bytes);
  });

  test("a pipe that nobody reads any more ends it quietly", async () => {
    const { code, bytes } = await shell((command) => `${command} | true`, "The capital?\r");
    expect(code).toBe(0);
    expect(bytes.toString()).not.toMatch(/EPIPE|Error|at /);
  });
});

describe("a chat speaks one language", () => {
  test("--locale zh and --locale en: our own words are not mixed, and a hang-up gives the terminal back", async () => {
    const here = await chatTerminal();
    for (const { locale, args, LANG, bill } of [
      { locale: "zh", args: ["--locale", "zh"], LANG: "en_US.UTF-8", bill: "共 30 tok" },
      { locale: "en", args: ["--locale", "en", "--no-color"], LANG: "zh_CN.UTF-8", bill: "30 tok in total" },
    ]) {
      const terminal = await here.open(["--mode", "agent", ...args], { env: { LANG } });
      here.provider.script("only", { reasoning: "0", toolCalls: [{ name: "asked", arguments: {} }] }, { text: "1" });
      terminal.type("2\r");
      await terminal.stands("↑↓");
      await terminal.reply(keyCodes.down);
      await terminal.stands("❯");
      terminal.press("enter");
      // Tokens stand in the status line from the first request on; the run has ended once its bill is written.
      await terminal.shows(bill);
      for (const command of ["/help", "/cost", "/config", "/tools", "/trace", "/expand"]) terminal.type(`${command}\r`);
      await terminal.follows("> /expand", "000000");
      await terminal.signal("SIGHUP");
      expect(await terminal.ended()).toBe(129);
      isGivenBack(terminal);
      if (args.includes("--no-color")) expect(terminal.bytes().toString()).not.toMatch(looks);
      const text = terminal.scrollback().join("\n");
      expect(text).toContain(locale === "zh" ? "模式的区别" : "How the modes differ");
      expect(text).not.toMatch(
        locale === "zh" ? /\b(the|is|are|of|and|to|with|for|no|not|has|ready)\b/i : /\p{Script=Han}/u,
      );
    }
  });
});

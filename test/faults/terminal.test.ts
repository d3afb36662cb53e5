import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { paintLine } from "../../src/cli/terminal/screen/paint-line.ts";
import { createTheme } from "../../src/cli/terminal/screen/theme.ts";
import type { Line } from "../../src/cli/terminal/text/line.ts";
import { attacks, poison } from "../fakes/hostile-text.ts";
import { formQuestion } from "../fakes/mcp-questions.ts";
import { onlyOurSequences } from "../fakes/our-sequences.ts";
import { configFile, temporaryFolder } from "../fakes/program.ts";
import { startFakeProvider } from "../fakes/provider.ts";
import { startTerminal } from "../fakes/terminal.ts";
import { runWarmProgram as runProgram } from "../fakes/warm-program.ts";

const said = JSON.stringify(poison);

/** Tells hostile things on its way and in its result, and the next one in its error. */
const tools = {
  "poisoned.mjs": `export default {
  name: "poisoned", description: ${said}, inputSchema: { type: "object" },
  async run(_, { progress }) { progress(${said}); console.error(${said}); return ${said}; },
};`,
  "broken.mjs": `export default {
  name: "broken", description: "Fails.", inputSchema: { type: "object" },
  async run() { throw new Error(${said}); },
};`,
};

/** A provider, a workplace with those tools, and two servers: one that lies about itself and one that asks. */
async function hostileWorld() {
  const provider = await startFakeProvider();
  onTestFinished(() => provider.close());
  const [cwd, directory, HOME] = await Promise.all([temporaryFolder(), temporaryFolder(), temporaryFolder()]);
  for (const [name, text] of Object.entries(tools)) await writeFile(join(directory, name), text);
  const liesFile = join(directory, "lies.json");
  await writeFile(liesFile, JSON.stringify([{ name: "lie", description: poison, inputSchema: { type: "object" } }]));
  for (const name of ["\u001b]52;c;ZXZpbA==\u0007\u202e", "\u2028\ue000", "plain"])
    await writeFile(join(cwd, `needle-${name}.txt`), "needle");
  const stderr = `printf '\\033]52;c;ZXZpbA==\\007\\n' >&2; exec "$0" "$@"`;
  const liar = [
    "-c",
    stderr,
    process.execPath,
    resolve("test/fakes/mcp.ts"),
    "--mode",
    "tools-from-file",
    "--tools",
    liesFile,
  ];
  const config = await configFile({
    models: { functionCall: { provider: "deepseek", model: "deepseek-reasoner", baseUrl: provider.openaiUrl } },
    tools: { directory, ask: ["poisoned"] },
    search: { enabled: false },
    mcpServers: {
      liar: { command: "sh", args: liar },
      quiz: { command: process.execPath, args: [resolve("test/fakes/mcp-questions.ts")] },
    },
  });
  const env = { HOME, DEEPSEEK_API_KEY: "sk-test-deepseek-0001", TERM: "xterm-256color", TERM_PROGRAM: "ghostty" };
  return { provider, cwd, config, env };
}

const answer = `${poison}\n\n[bank.example](https://evil.example/) 👩‍👩‍👧 ❤️\n\n\`\`\`js\n${poison}\n\`\`\`\n\n| ${poison.replaceAll("|", "")} |\n|---|\n| b |\n\nThe end.`;

describe("C. a terminal gets nothing but printable text and our own sequences", () => {
  test("35-42, 46: whatever a model, a tool, a server or a file says in a chat, piece by piece", async () => {
    const { provider, cwd, config, env } = await hostileWorld();
    const schema = { type: "object", properties: { a: { type: "string", title: poison } }, required: ["a"] };
    provider.script(
      "deepseek-flash",
      {
        reasoning: poison,
        text: poison,
        chunkSize: 1,
        toolCalls: [{ name: "poisoned", arguments: { path: `rm\u202e ${poison}`, command: "сurl" } }],
      },
      {
        toolCalls: [
          { name: "broken", arguments: {} },
          { name: "quiz__ask", arguments: { questions: { q: formQuestion(schema, poison) } } },
        ],
      },
      { reasoning: "x", text: answer, chunkSize: 1 },
    );
    const options = { cwd, env, columns: 80, lines: 50 };
    const terminal = await startTerminal(["--mode", "agent", "--config", config], options);
    await terminal.stands("Agent mode");
    terminal.type(`Look at ${"\u202e"} this\r`);
    await terminal.stands("Let poisoned run?");
    await terminal.shows("сurl(U+0441)");
    await terminal.shows("rm\\u{202e}");
    await terminal.reply("y\r");
    await terminal.shows("The MCP server quiz asks");
    await terminal.reply("/decline\r");
    await terminal.shows("The end.");
    // The line of the usage is broken at the width of this terminal.
    await terminal.showsWords("45 tok in total");
    for (const command of ["/expand", "/tools", "/trace", "/conversations", "/config"]) terminal.type(`${command}\r`);
    await terminal.follows("> /config", "Configuration file");
    terminal.paste(attacks["fills the clipboard"]);
    await terminal.stands("\\u{1b}]52;c;ZXZpbA==");
    terminal.press("ctrl-c");
    await terminal.hides("> \\u{1b}]52");
    terminal.type("@needle");
    await terminal.stands("needle-plain.txt");
    await terminal.stands("\\u{2028}\\u{e000}.txt");
    terminal.press("escape");
    await terminal.hides("needle-plain.txt");
    terminal.press("ctrl-c");
    await terminal.hides("@needle");
    terminal.type("/resume\r");
    await terminal.stands("Esc cancels");
    terminal.press("escape");
    await terminal.hides("Esc cancels");
    await terminal.resize(40, 20);
    terminal.type("ab\u202e");
    await terminal.stands("Agent mode > ab\\u{202e}");
    terminal.press("ctrl-c");
    await terminal.hides("> ab");
    terminal.type("/exit\r");
    expect(await terminal.ended()).toBe(0);
    onlyOurSequences(terminal.bytes());
    expect(terminal.answers()).toEqual([]);
    const shown = terminal.scrollback().join("").replace(/\s/g, "");
    for (const part of [
      "\\u{1b}]52;c;ZXZpbA==",
      "\\u{9d}52;c",
      "\\u{1b}[6n",
      "safe\\u{d}EVIL",
      "\\u{202e}",
      "\\u{2028}",
    ])
      expect(shown).toContain(part);
    expect(shown).toContain("https://evil.example/");
  });

  test.each([["answer"], ["jsonl"]])("35-45: without a terminal there is no sequence at all (%s)", async (output) => {
    const { provider, cwd, config, env } = await hostileWorld();
    provider.script(
      "deepseek-flash",
      { reasoning: poison, text: poison, chunkSize: 1, toolCalls: [{ name: "broken", arguments: { poison } }] },
      { text: answer, chunkSize: 1 },
    );
    const args = ["ask", poison, "--verbose", "--config", config, ...(output === "jsonl" ? ["--output", "jsonl"] : [])];
    const { stdout, stderr, code } = await runProgram(args, { cwd, env: { ...env, LANG: "en_US.UTF-8" } });
    expect(code).toBe(0);
    for (const text of [stdout, stderr]) {
      onlyOurSequences(Buffer.from(text));
      expect(text).not.toContain("\u001b");
    }
    if (output === "answer") return;
    const events = stdout.trimEnd().split("\n");
    expect(events.map((line) => JSON.parse(line).type).at(-1)).toBe("run-end");
    expect(JSON.parse(events.at(-1) ?? "").outcome.response).toContain("\u001b]52;c;ZXZpbA==");
  });
});

/** Pieces that attacks are made of, so that any order of them is tried. */
const nasty = fc.string({
  unit: fc.constantFrom(
    ...["\u001b", "[", "]52;c;", "]8;;", "\\", "m", "31", "\u009b", "\u009d", "\u0007", "\r", "\n", "\t", "\b"],
    ...[
      "\u0000",
      "\u202e",
      "\u200b",
      "\u{e0041}",
      "\ud83d",
      "\ude00",
      "👩‍👩‍👧",
      "文",
      "a",
      " ",
      "`",
      "|",
      "*",
      "[a](b)",
    ],
  ),
  maxLength: 40,
});
const look = { theme: createTheme("dark"), hyperlinks: true };

/** Only ours, on one line. */
function isSafe(line: Line): void {
  const painted = paintLine(line, look);
  onlyOurSequences(Buffer.from(painted));
  expect(painted).not.toMatch(/[\r\n\t]/);
}

describe("C. in whatever order the pieces come", () => {
  test("35-40: a painted line holds only ours, and to paint what is shown again changes nothing", () => {
    fc.assert(
      fc.property(nasty, nasty, (text, href) => {
        isSafe([{ text, styles: ["strong", "link"], href: `https://x.example/${href}` }, { text: href }]);
        const once = paintLine([{ text }], look);
        expect(paintLine([{ text: once }], look)).toBe(once);
      }),
      { numRuns: 500 },
    );
  });

  test("41: an answer in Markdown gives the same lines however it is split, and only ours", async () => {
    const { createMarkdownStream } = await import("../../src/cli/terminal/markdown/markdown-stream.ts");
    const shown = async (pieces: string[]) => {
      const stream = createMarkdownStream({ columns: () => 60, hyperlinks: true, locale: "en" });
      const lines: Line[] = [];
      for (const piece of pieces) {
        stream.push(piece);
        lines.push(...stream.take());
        for (const line of stream.pending(100)) isSafe(line);
      }
      lines.push(...(await stream.end()));
      for (const line of lines) isSafe(line);
      return lines.map((line) => paintLine(line, look));
    };
    await fc.assert(
      fc.asyncProperty(fc.array(nasty, { maxLength: 6 }), async (pieces) => {
        expect(await shown(pieces)).toEqual(await shown([pieces.join("")]));
      }),
      { numRuns: 100 },
    );
  });

  test("the check itself lets our sequences pass and nothing else", () => {
    const ours =
      "\u001b[?2026h\u001b[1;36m文\u001b[0m\r\n\t\u001b[2K\u001b[3A\u001b]8;;https://x.example/\u001b\\l\u001b]8;;\u001b\\";
    onlyOurSequences(Buffer.from(ours));
    for (const [name, attack] of Object.entries(attacks)) {
      const harmless = name === "rewrites its line" || name === "feigns a link" || name === "clears the screen";
      if (!harmless) expect(() => onlyOurSequences(Buffer.from(attack)), name).toThrow("The terminal was sent");
    }
  });
});

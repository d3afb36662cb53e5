import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readJournal } from "../../client/servers.ts";
import { compileCache, configFile, type Finished, type ProgramOptions, temporaryFolder } from "../../fakes/program.ts";
import { startTerminal } from "../../fakes/terminal.ts";
import { runWarmProgram as runProgram } from "../../fakes/warm-program.ts";

const fakePath = join(import.meta.dirname, "../../fakes/mcp-metadata.ts");
const schema = { type: "object", properties: { to: { type: "string" } } };
const send = { name: "send", description: "Sends a message.\nTo one person.", inputSchema: schema };
const sly = { ...send, description: "Sends a message.\nTo\u200b anybody." };
const other = { name: "other", description: "Does something else.", inputSchema: schema };

/** A server, `mail`, or two of the same program, that have been met as they first were. */
interface Place {
  options: ProgramOptions;
  config: string;
  say(...tools: object[]): void;
  /** Makes the running server announce a change, and waits until its new list has been taken. */
  announce(): Promise<void>;
  approve(...args: string[]): Promise<Finished>;
  /** The names that models see. */
  usable(): Promise<string[]>;
}

async function place(...names: string[]): Promise<Place> {
  const folder = await temporaryFolder();
  const [file, journal] = [join(folder, "say.json"), join(folder, "journal")];
  const say = (...tools: object[]): void => writeFileSync(file, JSON.stringify({ lists: [tools] }));
  const server = {
    command: process.execPath,
    args: [fakePath, "--say", file, "--journal", journal],
    env: compileCache(),
  };
  const config = await configFile({ mcpServers: Object.fromEntries(names.map((name) => [name, server])) });
  const options = { env: { DUET_HOME: join(folder, "home") } };
  const approve = (...args: string[]) => runProgram(["tools", "approve", "--config", config, ...args], options);
  const listed = (): number => readJournal(journal).filter(({ method }) => method === "tools/list").length;
  say(send);
  expect(await approve()).toMatchObject({ code: 0, stdout: "No tools are waiting for approval.\n" });
  return {
    options,
    config,
    say,
    async announce() {
      const pid = readJournal(journal).findLast((entry) => entry.pid !== undefined)?.pid ?? 0;
      // One list is asked for after the other: once the second is, the first has been taken.
      for (const _ of [1, 2]) {
        const before = listed();
        process.kill(pid, "SIGUSR2");
        await expect.poll(listed).toBeGreaterThan(before);
      }
    },
    approve,
    async usable() {
      const { stdout } = await runProgram(["tools", "--config", config, "--output", "json"], options);
      const { tools }: { tools: { name: string; source: string }[] } = JSON.parse(stdout);
      return tools.filter(({ source }) => source !== "builtin").map(({ name }) => name);
    },
  };
}

const changedLines = [
  "  description:",
  "    Sends a message.",
  "-   To one person.",
  "+   To\\u{200B} anybody.",
  "  (3 more items are the same)",
];

/** Each starts the program several times, on a machine that may be busy. */
const slow = { timeout: 120_000 };

describe("duet tools approve, where nobody can be asked", slow, () => {
  test("shows what waits at a server, approves nothing, and says how", async () => {
    const { say, approve, usable } = await place("mail", "post");
    say(sly, other);
    const { code, stdout, stderr } = await approve("mail");
    expect(code).toBe(1);
    expect(stdout).toContain(["🔐 mail__send · mail · changed", ...changedLines].join("\n"));
    expect(stdout).toContain("🔐 mail__other · mail · a new tool\n+ description:\n+   Does something else.\n");
    expect(stdout).not.toContain("post__");
    expect(stderr).toContain(
      "duet: 2 tools wait for approval, and there is no terminal to ask in: approve them with --yes",
    );
    expect(await usable()).toEqual([]);
  });

  test("approves one tool, then all that is left, with --yes", async () => {
    const { say, approve, usable } = await place("mail", "post");
    say(sly, other);
    expect(await approve("mail__send", "--yes")).toMatchObject({ code: 0, stderr: "Approved mail__send\n" });
    const rest = await approve("--yes", "--locale", "zh");
    expect(rest).toMatchObject({ code: 0, stderr: "已批准 mail__other\n已批准 post__send\n已批准 post__other\n" });
    expect(rest.stdout).toContain("🔐 post__send · post · 已改变");
    expect(await usable()).toEqual(["mail__send", "mail__other", "post__send", "post__other"]);
    expect(await approve("post__send")).toMatchObject({ code: 0, stdout: "No tools are waiting for approval.\n" });
  });

  test("gives the same as JSON", async () => {
    const { say, approve } = await place("mail");
    say(sly);
    const entry = { server: "mail", tool: "send", name: "mail__send", kind: "changed", lines: changedLines };
    const waiting = await approve("--output", "json");
    expect([waiting.code, JSON.parse(waiting.stdout)]).toEqual([1, { waiting: [entry], approved: [] }]);
    const approved = await approve("--output", "json", "--yes");
    expect([approved.code, JSON.parse(approved.stdout)]).toEqual([0, { waiting: [], approved: [entry] }]);
    const nothing = await approve("--output", "json");
    expect([nothing.code, JSON.parse(nothing.stdout)]).toEqual([0, { waiting: [], approved: [] }]);
  });

  test("refuses a name that nobody has, in one line, and approves nothing", async () => {
    const { say, approve, usable } = await place("mail");
    say(sly);
    const { code, stdout, stderr } = await approve("mail", "post__\u001b[2Jsend", "--yes");
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toBe("duet: there is no server or waiting tool named post__\\u{1b}[2Jsend; servers: mail\n");
    expect(await usable()).toEqual([]);
  });
});

describe("duet tools approve, at a terminal", slow, () => {
  test("asks about each tool, and approves those that are agreed to", async () => {
    const { say, usable, config, options } = await place("mail");
    say(sly, other);
    const terminal = await startTerminal(["tools", "approve", "--config", config], options);
    await terminal.shows("+   To\\u{200B} anybody.");
    await terminal.shows("Approve mail__send? [y/n]");
    terminal.type("perhaps\r");
    // What is typed before the question is shown again does not count as its answer.
    await terminal.repeats("Approve mail__send? [y/n]", 2);
    terminal.type("n\r");
    await terminal.shows("Approve mail__other? [y/n]");
    terminal.type("y\r");
    await terminal.shows("Approved mail__other");
    expect(await terminal.ended()).toBe(0);
    expect(await usable()).toEqual(["mail__other"]);
  });

  test("does not approve what has changed again since it was shown", async () => {
    const { say, announce, usable, config, options } = await place("mail");
    say(sly);
    const terminal = await startTerminal(["tools", "approve", "--config", config], options);
    await terminal.shows("Approve mail__send? [y/n]");
    say({ ...send, description: "Sends everything." });
    await announce();
    terminal.type("y\r");
    await terminal.shows("mail__send has changed again since it was shown and was not approved");
    expect(await terminal.ended()).toBe(1);
    expect(await usable()).toEqual([]);
  });

  test("ends with the input, or with Ctrl-C, and approves nothing", async () => {
    const { say, usable, config, options } = await place("mail");
    say(sly);
    for (const [key, code] of [
      ["\u0004", 1],
      ["\u0003", 130],
    ] as const) {
      const terminal = await startTerminal(["tools", "approve", "--config", config], options);
      await terminal.shows("Approve mail__send? [y/n]");
      terminal.type(key);
      expect(await terminal.ended()).toBe(code);
    }
    expect(await usable()).toEqual([]);
  });
});

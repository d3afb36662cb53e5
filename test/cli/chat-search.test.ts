import { describe, expect, onTestFinished, test } from "vitest";
import { configFile } from "../fakes/program.ts";
import { type FakeProvider, startFakeProvider } from "../fakes/provider.ts";
import { type FakeSearch, startFakeSearch } from "../fakes/search.ts";
import { startTerminal } from "../fakes/terminal.ts";
import { runWarmProgram as runProgram } from "../fakes/warm-program.ts";

const page = { title: "Node.js 24", url: "https://nodejs.example/24", content: "Node.js 24 came in May 2025." };

interface SearchChat {
  provider: FakeProvider;
  search: FakeSearch;
  env: Record<string, string>;
}

async function openSearchChat(): Promise<SearchChat> {
  const [provider, search] = await Promise.all([startFakeProvider(), startFakeSearch({ "*": [page] })]);
  onTestFinished(async () => {
    await Promise.all([provider.close(), search.close()]);
  });
  const env = {
    AGENT_FUNCTION_CALL_MODEL: JSON.stringify({ provider: "openai", model: "one", base_url: provider.openaiUrl }),
    OPENAI_API_KEY: "sk-test-openai-0001",
    SEARXNG_URL: search.url,
  };
  return { provider, search, env };
}

function link(text: string): string {
  return `\u001b]8;;${page.url}\u001b\\${text}\u001b]8;;\u001b\\`;
}

describe("the search switch in a terminal", () => {
  test("is off at first, shows how it stands, and searches for the message as it was typed", async () => {
    const { provider, search, env } = await openSearchChat();
    provider.script("one", { text: "Hello!" }, { text: "In May 2025 [1]." });
    const terminal = await startTerminal(["--mode", "chat"], { env });
    await terminal.shows("Duet · Chat mode · Web search: off ·");
    await terminal.shows("Chat mode > ");
    terminal.type("Hi\r");
    await terminal.shows("Hello!");
    expect(search.journal).toEqual([]);
    terminal.type("/search on\r");
    await terminal.shows("Web search: on");
    await terminal.shows("Chat mode · search > ");
    terminal.type("When did Node.js 24 come?\r");
    await terminal.shows("In May 2025 [1].");
    await terminal.shows(`- [1] Node.js 24 ${page.url}`);
    expect(search.journal.map(({ query }) => query)).toEqual(["When did Node.js 24 come?"]);
    terminal.type("/search maybe\r");
    await terminal.shows('"maybe" is not valid. Allowed: on, off.');
    terminal.type("/search off\r");
    await terminal.shows("Web search: off");
    terminal.type("/exit\r");
    expect(await terminal.ended()).toBe(0);
  });

  test("cannot be switched on where the configuration takes search away", async () => {
    const { env } = await openSearchChat();
    const terminal = await startTerminal(["--mode", "chat", "--no-search"], { env });
    await terminal.shows("Chat mode > ");
    terminal.type("/search on\r");
    await terminal.shows("Web search is turned off by the configuration");
    terminal.type("\u0004");
    expect(await terminal.ended()).toBe(0);
  });

  test("is on where the configuration says so", async () => {
    const { env } = await openSearchChat();
    const file = await configFile({ search: { enabled: true } });
    const terminal = await startTerminal(["--mode", "chat", "--config", file, "--locale", "zh"], { env });
    await terminal.shows("联网搜索：开");
    await terminal.shows("Chat 模式 · 搜索 > ");
    terminal.type("\u0004");
    expect(await terminal.ended()).toBe(0);
  });
});

describe("citations as links", () => {
  test("a terminal that shows them gets the numbers and the addresses as links", async () => {
    const { provider, env } = await openSearchChat();
    provider.script("one", { text: "In May 2025 [1]." });
    const terminal = await startTerminal(["ask", "When?", "--mode", "chat", "--search"], {
      env: { ...env, TERM_PROGRAM: "ghostty" },
    });
    await terminal.shows(`In May 2025 ${link("[1]")}.`);
    await terminal.shows(`- ${link("[1]")} Node.js 24 ${link(page.url)}`);
    expect(await terminal.ended()).toBe(0);
  });

  test.each([
    ["--no-color", ["--no-color"], {}],
    ["NO_COLOR", [], { NO_COLOR: "1" }],
    ["TERM=dumb", [], { TERM: "dumb" }],
  ])("%s: none", async (_, args, more) => {
    const { provider, env } = await openSearchChat();
    provider.script("one", { text: "In May 2025 [1]." });
    const terminal = await startTerminal(["ask", "When?", "--mode", "chat", "--search", ...args], {
      env: { ...env, TERM_PROGRAM: "ghostty", ...more },
    });
    await terminal.shows("In May 2025 [1].");
    await terminal.shows(`- [1] Node.js 24 ${page.url}`);
    expect(await terminal.ended()).toBe(0);
  });

  test.each([["text"], ["json"], ["jsonl"]])("a pipe gets none (%s)", async (output) => {
    const { provider, env } = await openSearchChat();
    provider.script("one", { text: "In May 2025 [1]." });
    const { stdout, code } = await runProgram(["ask", "When?", "--mode", "chat", "--search", "--output", output], {
      env: { ...env, TERM_PROGRAM: "ghostty", FORCE_HYPERLINK: "1" },
    });
    expect(code).toBe(0);
    expect(stdout).toContain("In May 2025 [1].");
    expect(stdout).not.toContain("\u001b");
  });
});

describe("duet ask --mode chat", () => {
  test("does not search unless it is told to", async () => {
    const { provider, search, env } = await openSearchChat();
    provider.script("one", { text: "No idea." });
    const { stdout } = await runProgram(["ask", "When?", "--mode", "chat"], { env });
    expect(stdout).toBe("No idea.\n");
    expect(search.journal).toEqual([]);
  });

  test("does not wait for servers that are still starting", async () => {
    const { provider, env } = await openSearchChat();
    provider.script("one", { text: "In May 2025 [1]." });
    const file = await configFile({ mcpServers: { slow: { command: "sleep", args: ["600"] } } });
    const { stdout, stderr } = await runProgram(["ask", "When?", "--mode", "chat", "--search", "--config", file], {
      env,
    });
    expect(stdout).toContain("In May 2025 [1].");
    expect(stderr).not.toContain("slow");
  });
});

import { expect, test } from "vitest";
import { call, fake, poolOf, readyPoolOf, stdio } from "../servers.ts";

test("a server's tools are ours, under its configured name", async () => {
  const pool = await readyPoolOf(fake("normal", { name: "one" }));
  const [tool] = pool.tools();
  expect(tool).toMatchObject({
    name: "one__echo",
    description: "Gives back its arguments.",
    source: "one",
    annotations: { title: "Echo", readOnly: true },
    inputSchema: { type: "object", properties: { text: { type: "string" } } },
  });
  expect(await call(pool, "one__echo", { text: "你好" })).toEqual({ ok: true, text: '{"text":"你好"}' });
  expect(pool.status()).toEqual([
    {
      name: "one",
      transport: "stdio",
      state: "ready",
      toolCount: 1,
      error: null,
      lastError: null,
      problems: [],
      warnings: [],
      waiting: 0,
      startMs: expect.any(Number),
      restarts: 0,
      retryInMs: null,
      offers: { prompts: false, resources: false, completions: false },
      serverInfo: { name: "fake", version: "1.2.3" },
      protocolVersion: "2025-06-18",
    },
  ]);
});

test("tools keep the order of the configuration, whichever server is ready first", async () => {
  const slow = (name: string) => fake("slow-start", { name, args: ["--delay", "1000"] });
  const pool = await readyPoolOf(slow("a"), slow("b"), fake("normal", { name: "c" }));
  expect(pool.tools().map(({ name }) => name)).toEqual(["a__echo", "b__echo", "c__echo"]);
});

test("start returns at once, before anything is connected", () => {
  const pool = poolOf(fake("normal"));
  pool.start();
  expect(pool.status()).toMatchObject([{ state: "starting", toolCount: 0 }]);
});

test("130: servers start side by side: one that does not initialize holds nobody up", async () => {
  const pool = poolOf(fake("never-initialize", { name: "mute" }), fake("normal", { name: "good" }));
  pool.start();
  await expect.poll(() => pool.status()[1]?.state).toBe("ready");
  expect(pool.status()[0]?.state).toBe("starting");
  expect((await call(pool, "good__echo")).ok).toBe(true);
});

test("130: one that never initializes fails at its own limit, with its last words; the others work", async () => {
  const pool = poolOf(
    fake("normal", { name: "good" }),
    fake("never-initialize", { name: "mute", startTimeoutMs: 5000 }),
  );
  await pool.ready();
  const [, mute] = pool.status();
  expect(mute).toMatchObject({ state: "failed", toolCount: 0, error: { code: "timeout" } });
  expect(mute?.error?.text.en).toContain("it did not start within 5 s");
  expect(mute?.error?.text.zh).toContain("启动超过 5 秒");
  expect(mute?.error?.text.en).toContain("waiting for the moon");
  expect((await call(pool, "good__echo")).ok).toBe(true);
});

test("120: one that exits at its start is reported with its exit code and its last words, made printable", async () => {
  const pool = await readyPoolOf(fake("exit-at-start"), fake("normal", { name: "good" }));
  const [failed, good] = pool.status();
  expect(good?.state).toBe("ready");
  expect(failed).toMatchObject({ state: "failed", error: { code: "server" } });
  expect(failed?.error?.text.en).toBe(
    "MCP server fake cannot be used: its process ended with exit code 7; it wrote:\nFATAL: no key in FAKE_KEY\n\\u{1b}[31mred\\u{1b}[0m",
  );
  expect(failed?.error?.text.zh).toContain("进程已退出，退出码 7");
});

test("a command that does not exist is reported with its name and what to do", async () => {
  const pool = await readyPoolOf(stdio("typo", "no-such-command", []), fake("normal", { name: "good" }));
  const [typo, good] = pool.status();
  expect(typo).toMatchObject({ state: "failed", error: { code: "config" } });
  expect(typo?.error?.text.en).toContain('there is no command "no-such-command"');
  expect(typo?.error?.hint?.en).toContain("PATH");
  expect(good?.state).toBe("ready");
});

test("arguments that no process can have are reported like any other failure", async () => {
  const pool = await readyPoolOf(stdio("odd", process.execPath, ["a\0b"]));
  expect(pool.status()).toMatchObject([{ state: "failed", error: { code: "bad_response" } }]);
});

test("a malformed tool costs only itself and is reported", async () => {
  const pool = await readyPoolOf(fake("bad-tool-in-list"));
  expect(pool.tools().map(({ name }) => name)).toEqual(["fake__echo", "fake__last"]);
  const problems = pool.status()[0]?.problems.map(({ en }) => en) ?? [];
  expect(problems).toHaveLength(6);
  expect(problems[0]).toBe('Tool no-schema was skipped: its inputSchema is not a JSON Schema of type "object"');
  expect(problems.join("\n")).toContain("Tool task-only was skipped: it runs only as a task");
  expect(problems.join("\n")).toContain("Tool echo was skipped: another tool of the server has the same name");
});

test("129: an empty cursor is followed", async () => {
  const pool = await readyPoolOf(fake("two-pages"));
  expect(pool.tools().map(({ name }) => name)).toEqual(["fake__first", "fake__second"]);
});

test("129: endless pages end at the limit, and the tools until there work", async () => {
  const pool = await readyPoolOf(fake("endless-pages"));
  expect(pool.tools()).toHaveLength(64);
  expect(pool.status()[0]?.problems[0]?.en).toContain("64 pages");
  expect((await call(pool, "fake__page-3")).ok).toBe(true);
});

test("a list of too many tools is cut", async () => {
  const pool = await readyPoolOf(fake("many-tools"));
  expect(pool.tools()).toHaveLength(1000);
  expect(pool.status()[0]?.problems[0]?.en).toContain("kept the first 1000");
});

test("only the tools that the configuration wants are offered", async () => {
  const settings = fake("odd-names", { includeTools: ["a*", "e*"], excludeTools: ["a_*"] });
  const pool = await readyPoolOf(settings);
  expect(pool.tools()).toHaveLength(3);
  expect(pool.tools()[2]?.name).toMatch(/^fake__a_b--/);
});

test("tools with odd names are called by the server's own names for them", async () => {
  const pool = await readyPoolOf(fake("odd-names"));
  const texts = await Promise.all(pool.tools().map(async ({ name }) => (await call(pool, name)).text));
  expect(texts).toEqual(["e e!", "e-e_", "ünïcode", "a.b", "a_b", "x".repeat(100)].map((name) => `called ${name}`));
});

test("a pool without servers is ready at once", async () => {
  const pool = poolOf();
  pool.start();
  await pool.ready();
  expect(pool.tools()).toEqual([]);
});

test("waiting for the servers obeys a signal", async () => {
  const pool = poolOf(fake("never-initialize"));
  const abort = new AbortController();
  const ready = pool.ready(abort.signal);
  abort.abort(new Error("no time"));
  await expect(ready).rejects.toThrow("no time");
});

test("a child sees the variables that it needs, its own, and nothing else of ours", async () => {
  const pool = await readyPoolOf(fake("echo-env", { env: { OWN: "own value" } }));
  const { text } = await call(pool, "fake__echo");
  expect(text).toContain('"OWN":"[redacted OWN]"');
  expect(text).toContain('"PATH"');
  expect(text).not.toContain("CANARY");
  const names = Object.keys(JSON.parse(text));
  const allowed = [
    "NODE_COMPILE_CACHE",
    "HOME",
    "LOGNAME",
    "PATH",
    "SHELL",
    "TERM",
    "USER",
    "LANG",
    "TMPDIR",
    "OWN",
    "DUET_DEPTH",
  ];
  expect(names.filter((name) => !allowed.includes(name))).toEqual([]);
});

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createCallClock } from "../../../src/client/calls/request-sender.ts";
import type { ServerList } from "../../../src/client/lifecycle/announcements.ts";
import { createRestarts } from "../../../src/client/lifecycle/server-lifecycle.ts";
import { listBelievedMs } from "../../../src/client/limits.ts";
import { createPool, type Pool, type PoolOptions } from "../../../src/client/pool.ts";
import type { ServerSettings } from "../../../src/config/config.ts";
import { changingServer } from "../../fakes/mcp-http.ts";
import {
  allDead,
  call,
  fake,
  http,
  isAlive,
  poolOf,
  processesIn,
  readJournal,
  readyPoolOf,
  temporaryFolder,
} from "../servers.ts";

function newJournal(): string {
  return join(temporaryFolder(), "journal");
}

function lives(journal: string): number {
  return readJournal(journal).filter(({ pid }) => pid !== undefined).length;
}

function lists(journal: string): number {
  return readJournal(journal).filter(({ method }) => method === "tools/list").length;
}

function names(pool: Pool): string[] {
  return pool.tools().map(({ name }) => name);
}

function poolWith(options: Partial<PoolOptions>, ...servers: ServerSettings[]): Pool {
  const pool = createPool(servers, { environment: process.env, clientInfo: { name: "t", version: "0" }, ...options });
  onTestFinished(() => pool.close());
  return pool;
}

/** A server whose tools are what `write` was given last. */
function withTools(more: Partial<ServerSettings> = {}) {
  const [journal, file] = [newJournal(), join(temporaryFolder(), "tools.json")];
  const write = (...tools: string[]) =>
    writeFileSync(file, JSON.stringify(tools.map((name) => ({ name, inputSchema: { type: "object" } }))));
  write("one");
  return { settings: fake("tools-from-file", { journal, args: ["--tools", file], ...more }), write, journal };
}

describe("a lazy server", () => {
  test("is started at first, because nobody knows its tools", async () => {
    const journal = newJournal();
    const pool = poolWith({ home: temporaryFolder() }, fake("normal", { journal, start: "lazy" }));
    await pool.ready();
    expect(pool.status()[0]?.state).toBe("ready");
    expect(lives(journal)).toBe(1);
  });

  test("that is known is listed in its place without a process, and begins with the first call", async () => {
    const [home, journal] = [temporaryFolder(), newJournal()];
    const servers = [
      fake("normal", { name: "a" }),
      fake("normal", { name: "lazy", journal, start: "lazy" }),
      fake("normal", { name: "z" }),
    ];
    const first = poolWith({ home }, ...servers);
    await first.ready();
    await first.close();
    const second = poolWith({ home }, ...servers);
    await second.ready();
    expect(names(second)).toEqual(["a__echo", "lazy__echo", "z__echo"]);
    expect(second.status()[1]?.state).toBe("idle");
    expect(lives(journal)).toBe(1);
    const [tool] = second.tools().slice(1);
    expect((await call(second, "lazy__echo", { text: "a" })).text).toBe('{"text":"a"}');
    expect(lives(journal)).toBe(2);
    expect(second.tools()[1]).toBe(tool);
  });

  test("that cannot be started any more says so when it is called, and stays listed", async () => {
    const home = temporaryFolder();
    const journal = newJournal();
    const settings = fake("exit-after-start", { journal, start: "lazy" });
    const first = poolWith({ home }, settings);
    await first.ready();
    await first.close();
    const second = poolWith({ home }, settings);
    await second.ready();
    expect((await call(second, "fake__echo")).error?.code).toBe("unavailable");
    expect(names(second)).toEqual(["fake__echo"]);
  });
});

describe("restarts", () => {
  test("come at growing distances, and after five failures once a minute by a call only", () => {
    const restarts = createRestarts(() => 0.5);
    const pauses = [0, 0, 0, 0].map((livedMs) => restarts.failed(livedMs));
    expect(pauses).toEqual([250, 1000, 4000, 16_000]);
    expect(restarts.isOpen).toBe(false);
    expect(restarts.failed(0)).toBe(60_000);
    expect(restarts.isOpen).toBe(true);
    expect(restarts.failed(0)).toBe(60_000);
  });

  test("begin anew after a life of some length", () => {
    const restarts = createRestarts(() => 0.5);
    for (const _ of [1, 2, 3, 4, 5]) restarts.failed(0);
    expect(restarts.failed(10_000)).toBe(250);
    expect(restarts.isOpen).toBe(false);
  });

  test("of several servers are not in step", () => {
    expect(createRestarts(() => 0).failed(0)).toBe(188);
    expect(createRestarts(() => 1).failed(0)).toBe(313);
  });

  test("bring a server back by itself, with the same tools in the same order", async () => {
    const journal = newJournal();
    const pool = await readyPoolOf(fake("normal", { journal }), fake("normal", { name: "other" }));
    const before = pool.tools();
    process.kill((await processesIn(journal, 1))[0] ?? 0, "SIGKILL");
    await vi.waitFor(() => expect(pool.status()[0]?.state).toBe("failed"), { timeout: 60_000 });
    expect(names(pool)).toEqual(before.map(({ name }) => name));
    expect(pool.status()[0]?.retryInMs).not.toBeNull();
    await vi.waitFor(() => expect(pool.status()[0]).toMatchObject({ state: "ready", restarts: 1 }), {
      timeout: 60_000,
    });
    expect(pool.tools()).toEqual(before);
  });

  test("are not for a server that was never there; whoever asks tries it again", async () => {
    const pool = await readyPoolOf(fake("exit-at-start"));
    expect(pool.status()).toMatchObject([{ state: "failed", restarts: 0 }]);
    await vi.waitFor(async () => {
      await pool.ready();
      expect(pool.status()[0]?.restarts).toBe(1);
    }, 60_000);
  });
});

describe("another configuration", () => {
  test("leaves unchanged servers their process, ends removed ones, starts new ones, and takes its order", async () => {
    const [stays, goes] = [newJournal(), newJournal()];
    const staying = fake("normal", { name: "stays", journal: stays });
    const pool = await readyPoolOf(fake("normal", { name: "goes", journal: goes }), staying);
    const heard: ServerList[] = [];
    const stop = pool.onChange((list) => heard.push(list));
    const leaving = await processesIn(goes, 1);
    const tool = pool.tools()[1];
    await pool.configure([fake("normal", { name: "new" }), structuredClone(staying)]);
    expect(heard).toEqual(expect.arrayContaining(["tools", "prompts", "resources"]));
    await allDead(leaving);
    await pool.ready();
    expect(names(pool)).toEqual(["new__echo", "stays__echo"]);
    expect(pool.tools()[1]).toBe(tool);
    expect(lives(stays)).toBe(1);
    stop();
    const count = heard.length;
    await pool.configure([]);
    expect(heard).toHaveLength(count);
    expect(pool.tools()).toEqual([]);
  });

  test("replaces a server whose settings changed", async () => {
    const journal = newJournal();
    const pool = await readyPoolOf(fake("normal", { journal }));
    const before = await processesIn(journal, 1);
    await pool.configure([fake("normal", { journal, timeoutMs: 9999 })]);
    await pool.ready();
    await allDead(before);
    expect(lives(journal)).toBe(2);
    expect((await call(pool, "fake__echo")).ok).toBe(true);
  });

  test("fails a call under way on a server that it removes, readably", async () => {
    const journal = newJournal();
    const pool = await readyPoolOf(fake("hang-on-call", { journal, timeoutMs: 60_000 }));
    const running = call(pool, "fake__echo");
    await expect.poll(() => readJournal(journal).map(({ method }) => method)).toContain("tools/call");
    await pool.configure([]);
    const { ok, text } = await running;
    expect(ok).toBe(false);
    expect(text).toContain("MCP server fake");
    expect(text).toContain("closed");
  });

  test("after the end starts nothing", async () => {
    const journal = newJournal();
    const pool = await readyPoolOf();
    await pool.close();
    await pool.configure([fake("normal", { journal })]);
    expect(pool.status()).toEqual([]);
    expect(lives(journal)).toBe(0);
  });

  test("that comes twice at once ends as the last one says", async () => {
    const [one, two] = [newJournal(), newJournal()];
    const pool = await readyPoolOf();
    await Promise.all([
      pool.configure([fake("normal", { name: "one", journal: one })]),
      pool.configure([fake("normal", { name: "two", journal: two })]),
    ]);
    await pool.ready();
    expect(names(pool)).toEqual(["two__echo"]);
    for (const pid of await processesIn(one, 0))
      await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 60_000 });
  });
});

describe("a list that changes", () => {
  test("reaches the tools and those who listen", async () => {
    const { settings, write } = withTools();
    const pool = poolWith({ newTools: "allow" }, settings);
    await pool.ready();
    const heard: ServerList[] = [];
    pool.onChange((list) => heard.push(list));
    write("two", "one");
    await call(pool, "fake__one", { announce: 1 });
    await vi.waitFor(() => expect(names(pool)).toEqual(["fake__two", "fake__one"]), { timeout: 60_000 });
    expect(heard).toContain("tools");
  });

  test("without a word from the server is seen before a call, once the list has grown old", async () => {
    const { settings, write, journal } = withTools();
    const pool = poolWith({}, settings);
    await pool.ready();
    await call(pool, "fake__one");
    expect(lists(journal)).toBe(1);
    write("two");
    const now = performance.now.bind(performance);
    vi.spyOn(performance, "now").mockImplementation(() => now() + listBelievedMs + 1000);
    onTestFinished(() => void vi.restoreAllMocks());
    const { error, text } = await call(pool, "fake__one");
    expect(error?.code).toBe("unavailable");
    expect(text).toContain("no longer offers the tool one");
    expect(lists(journal)).toBe(2);
  });

  test("over HTTP of 2026-07-28 is heard, also after the server was away, and what changed meanwhile is found", async () => {
    const tools = ["one"];
    const server = await changingServer(tools);
    onTestFinished(() => server.close());
    const pool = poolWith({ newTools: "allow" }, http(server.url));
    await pool.ready();
    const listeners = () => server.hits.filter(({ body }) => body.includes("subscriptions/listen")).length;
    await vi.waitFor(() => expect(listeners()).toBe(1), { timeout: 60_000 });
    tools.push("two");
    await vi.waitFor(
      () => {
        server.announce();
        expect(names(pool)).toEqual(["web__one", "web__two"]);
      },
      { timeout: 60_000, interval: 200 },
    );
    tools.push("three");
    server.drop();
    await vi.waitFor(() => expect(names(pool)).toHaveLength(3), { timeout: 60_000 });
    await vi.waitFor(() => expect(listeners()).toBeGreaterThanOrEqual(2), { timeout: 60_000 });
    expect((await call(pool, "web__three")).text).toBe("three");
  });
});

describe("the clock of a call", () => {
  function clockOf(outer = new AbortController().signal) {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const clock = createCallClock("probe", 1000, 5000, outer);
    onTestFinished(() => clock.clear());
    return clock;
  }

  test("does not run before the call has begun, but for the total limit", () => {
    const clock = clockOf();
    vi.advanceTimersByTime(4900);
    expect(clock.signal.aborted).toBe(false);
    vi.advanceTimersByTime(200);
    expect(clock.hasExpired()).toBe(true);
    expect(clock.signal.reason.message).toContain("5 s");
  });

  test("ends a silent call at its idle limit", () => {
    const clock = clockOf();
    clock.begin();
    vi.advanceTimersByTime(999);
    expect(clock.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(clock.hasExpired()).toBe(true);
    expect(clock.signal.reason).toMatchObject({ code: "timeout" });
  });

  test("begins anew with progress, up to the total limit", () => {
    const clock = clockOf();
    clock.begin();
    for (let passed = 0; passed < 4900; passed += 700) {
      vi.advanceTimersByTime(700);
      clock.reset();
    }
    expect(clock.signal.aborted).toBe(false);
    vi.advanceTimersByTime(700);
    expect(clock.hasExpired()).toBe(true);
  });

  test("stands still while a question is open, and goes on when the last one is answered", () => {
    const clock = clockOf();
    clock.begin();
    vi.advanceTimersByTime(900);
    const [first, second] = [clock.pause(), clock.pause()];
    vi.advanceTimersByTime(600_000);
    first();
    vi.advanceTimersByTime(600_000);
    expect(clock.signal.aborted).toBe(false);
    second();
    vi.advanceTimersByTime(999);
    expect(clock.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(clock.hasExpired()).toBe(true);
  });

  test("does not begin by progress that comes while a question is open", () => {
    const clock = clockOf();
    clock.begin();
    const resume = clock.pause();
    clock.reset();
    vi.advanceTimersByTime(60_000);
    expect(clock.signal.aborted).toBe(false);
    resume();
  });

  test("hands on the reason of whoever stopped the call, which is no time-out", () => {
    const outer = new AbortController();
    const clock = clockOf(outer.signal);
    clock.begin();
    outer.abort(new Error("the user stopped"));
    expect(clock.signal.reason.message).toBe("the user stopped");
    vi.advanceTimersByTime(10_000);
    expect(clock.hasExpired()).toBe(false);
  });

  test("leaves no timer behind", () => {
    const clock = clockOf();
    clock.begin();
    clock.clear();
    expect(vi.getTimerCount()).toBe(0);
    clock.pause()();
    expect(vi.getTimerCount()).toBe(0);
  });
});

test("closing ends a restart that waits", async () => {
  const journal = newJournal();
  const pool = poolOf(fake("normal", { journal }));
  await pool.ready();
  process.kill((await processesIn(journal, 1))[0] ?? 0, "SIGKILL");
  await vi.waitFor(() => expect(pool.status()[0]?.state).toBe("failed"), { timeout: 60_000 });
  await pool.close();
  await new Promise((resolve) => setTimeout(resolve, 600));
  expect(lives(journal)).toBe(1);
});

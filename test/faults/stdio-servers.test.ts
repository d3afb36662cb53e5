// Fault group K (docs/development/faults-servers.md#k-servers-over-stdio): what a server over stdio may do, and what the others
// and we notice of it.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, onTestFinished, test, vi } from "vitest";
import { createPool } from "../../src/client/pool.ts";
import type { ServerSettings } from "../../src/config/config.ts";
import {
  allDead,
  call,
  fake,
  isAlive,
  poolOf,
  processesIn,
  readJournal,
  readyPoolOf,
  temporaryFolder,
} from "../client/servers.ts";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

const good = () => fake("normal", { name: "good" });
const text = (length: number) => "x".repeat(length);

function newJournal(): string {
  return join(temporaryFolder(), "journal");
}

function count(journal: string, method: string): number {
  return readJournal(journal).filter((entry) => entry.method === method).length;
}

/** How often its process began. */
function lives(journal: string): number {
  return readJournal(journal).filter(({ pid }) => pid !== undefined).length;
}

test("116: a call that is never answered holds up no other call to the same server", async () => {
  const pool = await readyPoolOf(fake("answers-after-cancel", { timeoutMs: 3000 }));
  const silent = call(pool, "fake__echo", { silent: true });
  expect((await call(pool, "fake__echo", { text: "a" })).ok).toBe(true);
  expect((await silent).error?.code).toBe("timeout");
});

test("116: a place among the concurrent calls is free again after a time-out", async () => {
  const pool = await readyPoolOf(fake("hang-on-call", { timeoutMs: 300, maxConcurrent: 1 }));
  const codes = await Promise.all([1, 2].map(async () => (await call(pool, "fake__echo")).error?.code));
  expect(codes).toEqual(["timeout", "timeout"]);
});

test("118: an answer after the cancel, to nothing, in a batch or with the id as a text disturbs nothing and is not shown", async () => {
  const pool = await readyPoolOf(
    fake("odd-answers", { name: "odd" }),
    fake("answers-after-cancel", { name: "late", timeoutMs: 3000 }),
  );
  const spoken: string[] = [];
  vi.spyOn(console, "error").mockImplementation((...words) => void spoken.push(words.join(" ")));
  onTestFinished(() => void vi.restoreAllMocks());
  expect((await call(pool, "odd__echo")).text).toBe("first");
  expect((await call(pool, "late__echo", { slow: true })).error?.code).toBe("timeout");
  // The late answer comes right before this one.
  expect((await call(pool, "late__echo", { text: "a" })).text).toBe('{"text":"a"}');
  expect((await call(pool, "odd__echo")).text).toBe("first");
  expect(JSON.stringify([pool.status(), spoken])).not.toContain("CANARY");
});

test("120: one that dies at every start is not started again by itself, and the others work", async () => {
  const journal = newJournal();
  const pool = await readyPoolOf(fake("exit-at-start", { journal }), good());
  for (const _ of [1, 2, 3]) await pool.ready();
  expect(lives(journal)).toBeLessThanOrEqual(2);
  // Null while an attempt is in progress.
  await vi.waitFor(() => expect(pool.status()[0]?.retryInMs ?? -1).toBeGreaterThanOrEqual(0), 60_000);
  expect((await call(pool, "good__echo")).ok).toBe(true);
});

test("120: one that started once and never again keeps its tools, which say why they are not there", async () => {
  const journal = newJournal();
  const pool = await readyPoolOf(fake("exit-after-start", { journal }), good());
  const before = pool.tools().map(({ name }) => name);
  process.kill((await processesIn(journal, 1))[0] ?? 0, "SIGKILL");
  await vi.waitFor(() => expect(lives(journal)).toBeGreaterThanOrEqual(3), { timeout: 60_000 });
  expect(pool.tools().map(({ name }) => name)).toEqual(before);
  await vi.waitFor(() => expect(pool.status()[0]?.state).toBe("failed"), { timeout: 60_000 });
  const { error, text: said } = await call(pool, "fake__echo");
  expect(error?.code).toBe("unavailable");
  expect(said).toContain("nothing was sent");
  expect(said).toContain("exit code 9");
  expect((await call(pool, "good__echo")).ok).toBe(true);
});

test("122: a line that never ends fails the call at its limit, in bounded memory, and the others work", async () => {
  const pool = await readyPoolOf(fake("endless-line", { timeoutMs: 1500 }), good());
  collectGarbage();
  const before = process.memoryUsage().arrayBuffers;
  const endless = call(pool, "fake__echo");
  expect((await call(pool, "good__echo")).ok).toBe(true);
  expect(await endless).toMatchObject({ error: { code: "timeout" } });
  collectGarbage();
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100_000_000);
  expect((await call(pool, "good__echo")).ok).toBe(true);
});

test("122: an answer of more values than can be read at once fails as one that is too long does", async () => {
  const pool = await readyPoolOf(fake("many-values"));
  const { ok, text: said } = await call(pool, "fake__echo");
  expect(ok).toBe(false);
  expect(said).toContain("The answer holds more than 100000 JSON values");
});

test("123: an answer whose bytes come one by one, in the middle of a character too, is read", async () => {
  const pool = await readyPoolOf(fake("drip"));
  expect((await call(pool, "fake__echo")).text).toBe("天气");
});

test("123: an answer of 10 MB in pieces of 1 kB is read", async () => {
  const pool = await readyPoolOf(fake("small-chunks", { timeoutMs: 25_000 }));
  const { ok, text: said } = await call(pool, "fake__echo");
  expect(ok).toBe(true);
  expect(said).toMatch(/^x{1000}/);
});

test("124: bytes that are no UTF-8 are shown as what is missing, and the rest is used", async () => {
  const pool = await readyPoolOf(fake("invalid-utf8"));
  expect(await call(pool, "fake__echo")).toMatchObject({ ok: true, text: "a\ufffd\ufffd\ufffd(b" });
});

test("126: a server that closes its input fails the call, not the process", async () => {
  const pool = await readyPoolOf(fake("closes-its-input", { timeoutMs: 1500 }), good());
  expect((await call(pool, "fake__echo", { text: text(200_000) })).ok).toBe(false);
  expect((await call(pool, "good__echo")).ok).toBe(true);
});

test("127: 50,000 notifications a second leave the process free, and both servers answer", async () => {
  const pool = await readyPoolOf(fake("log-flood", { startTimeoutMs: 25_000, timeoutMs: 25_000 }), good());
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  for (let round = 0; round < 20; round += 1) expect((await call(pool, "good__echo")).ok).toBe(true);
  expect((await call(pool, "fake__echo", { text: "a" })).text).toBe('{"text":"a"}');
  delay.disable();
  // The exact figure is in bench/shared-process.mjs; a busy machine blocks us too.
  expect(delay.percentile(50) / 1e6).toBeLessThan(100);
});

test("128: a burst of 200 changes is one more list or two, and the last change is not lost", async () => {
  const journal = newJournal();
  const tools = join(temporaryFolder(), "tools.json");
  const named = (name: string) => ({ name, inputSchema: { type: "object" } });
  writeFileSync(tools, JSON.stringify([named("one")]));
  const settings = fake("tools-from-file", { journal, args: ["--tools", tools] });
  const pool = createPool([settings], {
    environment: process.env,
    clientInfo: { name: "duet-test", version: "0" },
    newTools: "allow",
  });
  onTestFinished(() => pool.close());
  await pool.ready();
  writeFileSync(tools, JSON.stringify([named("one"), named("two")]));
  await call(pool, "fake__one", { announce: 200 });
  await vi.waitFor(() => expect(pool.tools().map(({ name }) => name)).toEqual(["fake__one", "fake__two"]), {
    timeout: 60_000,
  });
  writeFileSync(tools, JSON.stringify([named("one"), named("two"), named("three")]));
  await call(pool, "fake__one", { announce: 1 });
  await vi.waitFor(() => expect(pool.tools()).toHaveLength(3), { timeout: 60_000 });
  expect(count(journal, "tools/list")).toBeLessThanOrEqual(5);
});

test("128: a server that answers each list with news of a change is asked once a second at most, and answers calls", async () => {
  const journal = newJournal();
  const start = performance.now();
  const pool = await readyPoolOf(fake("changes-with-each-list", { journal }));
  for (let round = 0; round < 3; round += 1) expect((await call(pool, "fake__echo")).ok).toBe(true);
  const seconds = (performance.now() - start) / 1000;
  expect(count(journal, "tools/list")).toBeLessThanOrEqual(2 + Math.ceil(seconds));
});

test("129: the same cursor again ends the list", async () => {
  const journal = newJournal();
  const pool = await readyPoolOf(fake("same-cursor", { journal }));
  expect(pool.tools()).toHaveLength(2);
  expect(count(journal, "tools/list")).toBe(2);
});

test("130: a server may be slow to start as long as its own limit allows, while another is used", async () => {
  const pool = poolOf(fake("slow-start", { name: "slow", args: ["--delay", "3000"] }), good());
  pool.start();
  await vi.waitFor(() => expect(pool.tools().map(({ name }) => name)).toContain("good__echo"), { timeout: 60_000 });
  expect((await call(pool, "good__echo")).ok).toBe(true);
  expect(pool.tools().map(({ name }) => name)).not.toContain("slow__echo");
  await pool.ready();
  expect(pool.tools().map(({ name }) => name)).toEqual(["slow__echo", "good__echo"]);
});

test.each(["-32601", "-32602", "-32000", "-32022", "1"])(
  "131: one that refuses initialize with %s and speaks only 2026-07-28 is spoken to in that",
  async (code) => {
    const pool = await readyPoolOf(fake("modern-only", { args: [`--code=${code}`] }));
    expect(pool.status()).toMatchObject([{ state: "ready", protocolVersion: "2026-07-28", restarts: 0 }]);
    expect((await call(pool, "fake__echo", { text: "a" })).text).toBe('{"text":"a"}');
  },
);

/** A pool that keeps what it learns in a directory. */
async function poolAt(home: string, settings: ServerSettings) {
  const pool = createPool([settings], { environment: process.env, clientInfo: { name: "t", version: "0" }, home });
  onTestFinished(() => pool.close());
  await pool.ready();
  return pool;
}

test("131: which revision a server speaks is remembered, so that later starts take one process", async () => {
  const [journal, home] = [newJournal(), temporaryFolder()];
  const settings = fake("modern-only", { journal });
  const pool = await poolAt(home, settings);
  const pids = await processesIn(journal, 2);
  process.kill(pids.at(-1) ?? 0, "SIGKILL");
  await vi.waitFor(() => expect(pool.status()[0]).toMatchObject({ state: "ready", restarts: 1 }), { timeout: 60_000 });
  expect(lives(journal)).toBe(3);
  await pool.close();
  const again = await poolAt(home, settings);
  expect(again.status()[0]?.state).toBe("ready");
  expect(lives(journal)).toBe(4);
});

test.each(["normal", "silent-to-others"])(
  "131: one that spoke 2026-07-28 and is now of the 2025 era (%s) is spoken to in that",
  async (mode) => {
    const home = temporaryFolder();
    const folder = temporaryFolder();
    const script = join(folder, "server.sh");
    const fakeOf = (name: string) => fake(name, { startTimeoutMs: 12_000 });
    const run = (name: string) => {
      const { transport } = fakeOf(name);
      const words = transport.type === "stdio" ? [transport.command, ...transport.args] : [];
      writeFileSync(script, `exec ${words.map((word) => `'${word}'`).join(" ")}\n`);
    };
    const settings: ServerSettings = {
      ...fakeOf("normal"),
      transport: { type: "stdio", command: "sh", args: [script], env: {}, inheritEnv: [] },
    };
    run("modern-only");
    const before = await poolAt(home, settings);
    expect(before.status()[0]?.protocolVersion).toBe("2026-07-28");
    await before.close();
    run(mode);
    const after = await poolAt(home, settings);
    expect(after.status()).toMatchObject([{ state: "ready", protocolVersion: "2025-06-18" }]);
    expect((await call(after, "fake__echo", { text: "a" })).ok).toBe(true);
  },
);

test("131: one that offers a revision nobody knows is reported with it", async () => {
  const journal = newJournal();
  const pool = await readyPoolOf(fake("odd-version", { journal }), good());
  const [failed, other] = pool.status();
  expect(failed?.state).toBe("failed");
  expect(failed?.error?.text.en).toContain("1999-01-01");
  expect(lives(journal)).toBeLessThanOrEqual(2);
  expect(other?.state).toBe("ready");
});

test("132: a daemon that keeps our pipes open holds up neither the call nor the end", async () => {
  const journal = newJournal();
  const pool = await readyPoolOf(fake("daemon", { journal, args: ["--writes"] }));
  const daemon = Number(/"daemon":(\d+)/.exec(readFileSync(journal, "utf8"))?.[1]);
  onTestFinished(() => {
    if (isAlive(daemon)) process.kill(daemon, "SIGKILL");
  });
  const { ok, text: said } = await call(pool, "fake__echo");
  expect(ok).toBe(false);
  expect(said).toContain("its process ended with exit code 0");
  await pool.close();
  await allDead(await processesIn(journal, 1));
});

import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import type { ToolResult } from "../../../src/core/tools/tool.ts";
import { toDuetError } from "../../../src/kit/errors.ts";
import { call, fake, type Heard, processesIn, readJournal, readyPoolOf, temporaryFolder } from "../servers.ts";

test("the server's own error result is a failure that the model can read", async () => {
  const pool = await readyPoolOf(fake("error-result"));
  expect(await call(pool, "fake__echo")).toEqual({
    ok: false,
    text: "The tool says no",
    error: { code: "tool", message: "The tool says no" },
  });
});

test("a protocol error is a failure too, in the reader's language", async () => {
  const pool = await readyPoolOf(fake("error-response"));
  expect((await call(pool, "fake__echo")).error).toEqual({
    code: "tool",
    message: "MCP server fake: it answered with an error: no such city",
  });
  expect((await call(pool, "fake__echo", {}, { locale: "zh" })).text).toBe("MCP 服务器 fake：返回错误：no such city");
});

test("progress reaches the caller in order", async () => {
  const pool = await readyPoolOf(fake("progress-three"));
  const heard: Heard[] = [];
  await call(pool, "fake__echo", {}, { heard });
  expect(heard).toEqual([1, 2, 3].map((progress) => ({ message: `step ${progress}`, progress, total: 3 })));
});

test("a flood of progress is dropped, not queued", async () => {
  const pool = await readyPoolOf(fake("progress-flood"));
  const heard: Heard[] = [];
  const began = performance.now();
  expect((await call(pool, "fake__echo", {}, { heard })).text).toBe("done");
  const seconds = Math.ceil((performance.now() - began) / 1000);
  expect(heard.length).toBeGreaterThan(0);
  // At most 50 in each second of the clock, of which the call touches one more than it lasts.
  expect(heard.length).toBeLessThanOrEqual(50 * (seconds + 1));
});

test("a call that is aborted ends though its server says nothing, and the server is told", async () => {
  const journal = join(temporaryFolder(), "journal");
  const pool = await readyPoolOf(fake("hang-on-call", { journal }));
  const abort = new AbortController();
  const running = call(pool, "fake__echo", {}, { signal: abort.signal });
  await expect.poll(() => readJournal(journal).map(({ method }) => method)).toContain("tools/call");
  abort.abort(new Error("the user stopped"));
  await expect(running).rejects.toThrow("the user stopped");
  await vi.waitFor(() => {
    expect(readJournal(journal).some(({ method }) => method === "notifications/cancelled")).toBe(true);
  }, 60_000);
});

test("116: a call that gets no answer ends at its limit, the server is told, and the next call works", async () => {
  const journal = join(temporaryFolder(), "journal");
  const pool = await readyPoolOf(fake("hang-on-call", { journal, timeoutMs: 300 }));
  const result = await call(pool, "fake__echo");
  expect(result.error?.code).toBe("timeout");
  expect(result.text).toContain("fake echo timed out after 0.3 s. The call may have taken effect");
  await vi.waitFor(() => {
    expect(readJournal(journal).some(({ method }) => method === "notifications/cancelled")).toBe(true);
  }, 60_000);
  expect(pool.status()[0]?.state).toBe("ready");
});

test("117: progress keeps a call alive, but not for ever", async () => {
  const pool = await readyPoolOf(fake("progress-for-ever", { timeoutMs: 600 }));
  const heard: Heard[] = [];
  let result: ToolResult | undefined;
  const wait = setTimeout;
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const calling = call(pool, "fake__echo", {}, { heard }).then((ended) => {
    result = ended;
  });
  // Half a second passes after each progress that arrives, and next to nothing while none does: silence never reaches its limit.
  for (let seen = 0; result === undefined; ) {
    await new Promise((resolve) => wait(resolve, 10));
    vi.advanceTimersByTime(heard.length > seen ? 500 : 1);
    seen = heard.length;
  }
  await calling;
  expect(result.error?.code).toBe("timeout");
  // The limit of the whole call, not that of silence.
  expect(result.text).toContain("timed out after 6 s");
});

test("a request that only reads is not told as one that may have taken effect", async () => {
  const pool = await readyPoolOf(fake("silent-to-others", { timeoutMs: 300 }));
  const options = { signal: new AbortController().signal, onProgress: () => {} };
  const thrown: unknown = await pool.request("fake", "prompts/list", {}, options).catch((reason: unknown) => reason);
  expect(toDuetError(thrown)).toMatchObject({
    code: "timeout",
    text: { en: "MCP server fake: fake prompts/list timed out after 0.3 s", zh: expect.not.stringContaining("生效") },
  });
  const refused: unknown = await pool.subscribe("fake", "fake://a", options.signal).catch((reason: unknown) => reason);
  expect(toDuetError(refused).text.en).toBe("MCP server fake: resources/subscribe timed out after 0.3 s");
});

test("119: a crash fails the call under way with the server's last words; the next call starts the server again", async () => {
  const journal = join(temporaryFolder(), "journal");
  const pool = await readyPoolOf(fake("crash-on-call", { journal, args: ["--writes"] }));
  const first = await call(pool, "fake__echo");
  expect(first.error?.code).toBe("server");
  expect(first.text).toContain(
    "its process ended with exit code 3. The call may have taken effect; it is not sent again.",
  );
  expect(pool.status()[0]?.state).toBe("failed");
  expect(pool.status()[0]?.error?.text.en).toContain("out of cheese");
  expect(pool.tools()).toHaveLength(1);
  const calls = readJournal(journal).filter(({ method }) => method === "tools/call");
  expect(calls).toHaveLength(1);
});

test("119: a call is sent once more after a crash where it only reads, which a person has approved, and never where it may write", async () => {
  const folder = temporaryFolder();
  const names = ["reads", "trusted", "writes"] as const;
  const journal = (name: string) => join(folder, name);
  const pool = await readyPoolOf(
    fake("crash-on-call", { name: "reads", journal: journal("reads") }),
    fake("crash-on-call", { name: "trusted", journal: journal("trusted") }),
    fake("crash-on-call", { name: "writes", journal: journal("writes"), args: ["--writes"] }),
  );
  const shown = pool.trusted().filter(({ name }) => name !== "trusted__echo");
  expect(await pool.approve(shown)).toHaveLength(2);
  const results = await Promise.all(names.map((name) => call(pool, `${name}__echo`)));
  expect(results.map(({ text }) => /The call .*/.exec(text)?.[0])).toEqual([
    "The call was sent twice, and may have taken effect.",
    "The call may have taken effect; it is not sent again.",
    "The call may have taken effect; it is not sent again.",
  ]);
  const sent = names.map((name) => readJournal(journal(name)).filter(({ method }) => method === "tools/call").length);
  expect(sent).toEqual([2, 1, 1]);
});

test("a server that was lost comes back by itself, with the same tools", async () => {
  const journal = join(temporaryFolder(), "journal");
  const pool = await readyPoolOf(fake("normal", { journal }));
  const before = pool.tools();
  const [pid = 0] = await processesIn(journal, 1);
  process.kill(pid, "SIGKILL");
  await vi.waitFor(() => expect(pool.status()[0]).toMatchObject({ state: "ready", restarts: 1, error: null }), {
    timeout: 60_000,
  });
  expect(pool.tools()).toEqual(before);
  expect((await call(pool, "fake__echo", { text: "a" })).ok).toBe(true);
});

test("120: a server that crashes again and again is started at ever greater distances, and its tools say so", async () => {
  const journal = join(temporaryFolder(), "journal");
  const pool = await readyPoolOf(
    fake("crash-on-call", { journal, args: ["--writes"] }),
    fake("normal", { name: "good" }),
  );
  const results: string[] = [];
  for (let count = 0; count < 8; count += 1) results.push((await call(pool, "fake__echo")).error?.code ?? "ok");
  expect(results).toContain("unavailable");
  expect(results.lastIndexOf("server")).toBeLessThan(results.indexOf("unavailable"));
  expect(readJournal(journal).filter(({ pid }) => pid !== undefined).length).toBeLessThanOrEqual(4);
  const { text } = await call(pool, "fake__echo");
  expect(text).toContain("is temporarily unavailable; nothing was sent.");
  expect(text).toContain("out of cheese");
  expect(pool.tools().map(({ name }) => name)).toEqual(["fake__echo", "good__echo"]);
  expect((await call(pool, "good__echo")).ok).toBe(true);
});

test("119: all calls under way fail at once when the server dies", async () => {
  const journal = join(temporaryFolder(), "journal");
  const pool = await readyPoolOf(fake("hang-on-call", { journal, timeoutMs: 60_000, args: ["--writes"] }));
  const running = [1, 2, 3].map(() => call(pool, "fake__echo"));
  await vi.waitFor(() => {
    expect(readJournal(journal).filter(({ method }) => method === "tools/call")).toHaveLength(3);
  }, 60_000);
  const { pid = 0 } = readJournal(journal)[0] ?? {};
  process.kill(pid, "SIGKILL");
  const results = await Promise.all(running);
  for (const { text } of results) expect(text).toContain("its process was ended by SIGKILL");
});

test("121: lines on stdout that are no messages do no harm", async () => {
  const pool = await readyPoolOf(fake("noise-on-stdout"));
  expect((await call(pool, "fake__echo", { text: "a" })).text).toBe('{"text":"a"}');
});

test("122: an answer that is too long fails its own call; another under way gets its answer", async () => {
  const pool = await readyPoolOf(fake("huge-line"));
  const [long, short] = await Promise.all([call(pool, "fake__long"), call(pool, "fake__echo", { text: "a" })]);
  expect(long.ok).toBe(false);
  expect(long.text).toContain("The answer is longer than 10 MB");
  expect(short).toEqual({ ok: true, text: '{"text":"a"}' });
  expect((await call(pool, "fake__echo", { text: "b" })).ok).toBe(true);
});

test("118: a second answer and an answer to nothing are ignored", async () => {
  const pool = await readyPoolOf(fake("answers-twice"));
  expect((await call(pool, "fake__echo")).text).toBe("first");
  expect((await call(pool, "fake__echo")).text).toBe("first");
});

test("115: content of an unknown type costs only itself", async () => {
  const pool = await readyPoolOf(fake("odd-content"));
  const { ok, text } = await call(pool, "fake__echo");
  expect(ok).toBe(true);
  expect(text).toContain("still here");
});

test("125: a server that does not read its input fails its calls and nothing else", async () => {
  const pool = await readyPoolOf(fake("deaf", { timeoutMs: 400 }), fake("normal", { name: "good" }));
  const text = "x".repeat(3_000_000);
  const results = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(() => call(pool, "fake__echo", { text })));
  for (const { ok } of results) expect(ok).toBe(false);
  expect(results.some(({ text: said }) => said.includes("does not read its input"))).toBe(true);
  expect((await call(pool, "good__echo")).ok).toBe(true);
});

test("a key that the server gives away reaches nobody: not in results, progress, descriptions or reports", async () => {
  const key = "CANARY/key+1 2";
  const pool = await readyPoolOf(
    fake("leak-env", { name: "leaky", env: { FAKE_KEY: key } }),
    fake("leak-and-exit", { name: "gone", env: { FAKE_KEY: key } }),
  );
  const heard: Heard[] = [];
  const result = await call(pool, "leaky__echo", {}, { heard });
  expect(result.ok).toBe(false);
  expect(result.text).toContain("&key=[redacted FAKE_KEY]&b=2");
  expect(heard[0]?.message).toBe("using [redacted FAKE_KEY]");
  const everything = JSON.stringify([result, heard, pool.tools(), pool.status(), pool.status()[1]?.error?.text]);
  expect(everything).toContain("bad key [redacted FAKE_KEY]");
  for (const form of [key, encodeURIComponent(key), Buffer.from(key).toString("hex")]) {
    expect(everything).not.toContain(form);
  }
});

test("no more calls than the limit reach a server at once", async () => {
  const journal = join(temporaryFolder(), "journal");
  const pool = await readyPoolOf(fake("hang-on-call", { journal, timeoutMs: 400, maxConcurrent: 2 }));
  const running = Promise.all([1, 2, 3].map(() => call(pool, "fake__echo")));
  await running;
  const methods = readJournal(journal).flatMap(({ method }) =>
    method === "tools/call" || method === "notifications/cancelled" ? [method] : [],
  );
  expect(methods.slice(0, 3)).toEqual(["tools/call", "tools/call", "notifications/cancelled"]);
});

test("a call whose server the configuration takes away ends with that reason and the server's name once", async () => {
  const journal = join(temporaryFolder(), "journal");
  const pool = await readyPoolOf(fake("hang-on-call", { journal }));
  const running = call(pool, "fake__echo");
  await expect.poll(() => readJournal(journal).some(({ method }) => method === "tools/call")).toBe(true);
  await pool.configure([]);
  expect((await running).text).toMatch(
    /^MCP server fake: its connection was closed: its configuration has changed, or Duet is ending\./,
  );
});

test("a call to a closed pool fails readably", async () => {
  const pool = await readyPoolOf(fake("normal"));
  await pool.close();
  expect((await call(pool, "fake__echo")).text).toContain("is closed");
});

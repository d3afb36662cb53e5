import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { createPool, type Pool } from "../../../src/client/pool.ts";
import type { ServerSettings } from "../../../src/config/config.ts";
import type { Elicit, Elicitation, ElicitationReply } from "../../../src/core/forms/elicitation.ts";
import type { SamplingRequest } from "../../../src/core/model/sampling.ts";
import type { JsonObject } from "../../../src/kit/json.ts";
import { formQuestion } from "../../fakes/mcp-questions.ts";
import { stdio } from "../servers.ts";

const server = join(import.meta.dirname, "../../fakes/mcp-questions.ts");

/** The server in one of its eras, with a model that writes for it. */
async function questionsIn(era: string, more: Partial<ServerSettings> = {}) {
  const requests: SamplingRequest[] = [];
  const settings = stdio("quiz", process.execPath, [server, "--era", era], more);
  const pool = createPool([settings], {
    environment: process.env,
    clientInfo: { name: "duet-test", version: "0" },
    async sample(request) {
      requests.push(request);
      return { text: "Blue.", model: "fake/cheap", finish: "stop", tokens: 20, costUsd: null };
    },
  });
  onTestFinished(() => pool.close());
  await pool.ready();
  return { pool, requests };
}

/** Lets the server ask; gives its replies, and what the call ended with where it failed. */
async function put(pool: Pool, questions: object, options: { elicit?: Elicit; signal?: AbortSignal } = {}) {
  const [tool] = pool.tools();
  if (tool === undefined) throw new Error(JSON.stringify(pool.status()));
  const result = await tool.run(JSON.parse(JSON.stringify({ questions })), {
    signal: options.signal ?? new AbortController().signal,
    locale: "en",
    elicit: options.elicit,
    progress() {},
    notice() {},
  });
  return result.ok ? JSON.parse(result.text) : { error: result.text };
}

const content: JsonObject = { name: "Li Lei", meal: "m1" };
const accept: Elicit = async () => ({ action: "accept", content });
const filled = { ...content, seats: 2, window: true, size: "l" };

describe.each(["legacy", "modern"])("a real server of the %s era", (era) => {
  test("puts its form to the person who calls, under its configured name, and gets what fits", async () => {
    const { pool } = await questionsIn(era);
    expect(pool.status()[0]?.protocolVersion).toMatch(era === "modern" ? /^2026-/ : /^2025-/);
    const seen: Elicitation[] = [];
    const elicit = async (question: Elicitation): Promise<ElicitationReply> => {
      seen.push(question);
      return { action: "accept", content };
    };
    expect(await put(pool, { who: formQuestion() }, { elicit })).toEqual({
      who: { action: "accept", content: filled },
    });
    expect(seen).toMatchObject([{ kind: "form", from: "quiz", message: "Who is travelling?" }]);
  });

  test("is told so where nobody can be asked, and that nobody replied: neither is a person's cancel", async () => {
    const { pool } = await questionsIn(era);
    const unasked = expect.stringContaining("There is no user who can be asked now");
    expect(await put(pool, { who: formQuestion() })).toEqual({ error: unasked });
    const unanswered = expect.stringContaining("none replied in time");
    expect(await put(pool, { who: formQuestion() }, { elicit: async () => undefined })).toEqual({ error: unanswered });
    const dismiss: Elicit = async () => ({ action: "cancel" });
    expect(await put(pool, { who: formQuestion() }, { elicit: dismiss })).toEqual({ who: { action: "cancel" } });
  });

  test("may ask several things at once", async () => {
    const { pool, requests } = await questionsIn(era, { sampling: true, roots: ["/srv"] });
    const messages = [{ role: "user", content: { type: "text", text: "A colour?" } }];
    const questions = {
      colour: { method: "sampling/createMessage", params: { messages, maxTokens: 10 } },
      where: { method: "roots/list" },
      who: formQuestion({ type: "object", properties: {} }),
    };
    expect(await put(pool, questions, { elicit: async () => ({ action: "decline" }) })).toEqual({
      colour: {
        role: "assistant",
        content: { type: "text", text: "Blue." },
        model: "fake/cheap",
        stopReason: "endTurn",
      },
      where: { roots: [{ uri: pathToFileURL("/srv").href, name: "srv" }] },
      who: { action: "decline" },
    });
    expect(requests).toMatchObject([{ from: "quiz", messages: [{ role: "user", text: "A colour?" }] }]);
  });

  test("gets no text and no directories where the configuration does not say so", async () => {
    const { pool, requests } = await questionsIn(era);
    const messages = [{ role: "user", content: { type: "text", text: "A colour?" } }];
    const sampling = { method: "sampling/createMessage", params: { messages, maxTokens: 10 } };
    expect(await put(pool, { sampling })).toHaveProperty("error");
    expect(await put(pool, { roots: { method: "roots/list" } })).toHaveProperty("error");
    expect(requests).toEqual([]);
    expect(await put(pool, { who: formQuestion() }, { elicit: accept })).toHaveProperty("who.action", "accept");
  });

  test("that asks for what is no form gets an error, nobody sees it, and its next call works", async () => {
    const { pool } = await questionsIn(era);
    const page = {
      method: "elicitation/create",
      params: { mode: "url", message: "x", url: "http://evil.test", elicitationId: "1" },
    };
    const seen: Elicitation[] = [];
    const elicit: Elicit = async (question) => {
      seen.push(question);
      return { action: "accept" };
    };
    expect(JSON.stringify(await put(pool, { page }, { elicit }))).toContain("url begins with https:");
    expect(seen).toEqual([]);
    expect(await put(pool, { who: formQuestion() }, { elicit: accept })).toHaveProperty("who.action", "accept");
  });

  test("has its question withdrawn when the call is over", async () => {
    const { pool } = await questionsIn(era);
    const stop = new AbortController();
    const withdrawn = Promise.withResolvers<void>();
    const elicit: Elicit = (_, signal) => {
      signal?.addEventListener("abort", () => withdrawn.resolve());
      stop.abort(new Error("the user left"));
      return new Promise(() => {});
    };
    await expect(put(pool, { who: formQuestion() }, { elicit, signal: stop.signal })).rejects.toThrow("the user left");
    await withdrawn.promise;
  });
});

const accepted = { action: "accept", content: filled };

/** Stands open until its question is withdrawn, for a person of its own. */
function abandoned() {
  const shown = Promise.withResolvers<void>();
  const elicit: Elicit = (_, withdrawn) =>
    new Promise((resolve) => {
      shown.resolve();
      withdrawn?.addEventListener("abort", () => resolve(undefined));
    });
  return { shown: shown.promise, elicit };
}

/** The processes of the server that this one has started. */
function listServers(): string[] {
  const table = execFileSync("ps", ["-A", "-o", "ppid=,args="], { encoding: "utf8" });
  return table.split("\n").filter((line) => line.trim().startsWith(`${process.pid} `) && line.includes(server));
}

test.each(["legacy", "modern"])(
  "while a dialog of a server of the %s era stands open, others are asked theirs, and one call waits for no other",
  async (era) => {
    // A server that takes one call at a time is not busy while a person thinks.
    const { pool } = await questionsIn(era, { maxConcurrent: 1 });
    expect(await put(pool, { who: formQuestion() }, { elicit: accept })).toEqual({ who: accepted });
    const open = abandoned();
    const stop = new AbortController();
    const first = put(pool, { who: formQuestion() }, { elicit: open.elicit, signal: stop.signal });
    first.catch(() => {});
    await open.shown;
    const others = Array.from({ length: 3 }, () =>
      put(pool, { who: formQuestion() }, { elicit: (...q) => accept(...q) }),
    );
    expect(await Promise.all(others)).toEqual(Array(3).fill({ who: accepted }));
    stop.abort(new Error("the host left"));
    await expect(first).rejects.toThrow("the host left");
    expect(await put(pool, { who: formQuestion() }, { elicit: accept })).toEqual({ who: accepted });
    await pool.close();
    expect(listServers()).toEqual([]);
  },
);

test("a connection of its own ends at once with a call that was given up, and otherwise serves the next caller", async () => {
  const { pool } = await questionsIn("legacy");
  const [one, two] = [abandoned(), abandoned()];
  const [leaveOne, leaveTwo] = [new AbortController(), new AbortController()];
  const first = put(pool, { who: formQuestion() }, { elicit: one.elicit, signal: leaveOne.signal });
  first.catch(() => {});
  await one.shown;
  const second = put(pool, { who: formQuestion() }, { elicit: two.elicit, signal: leaveTwo.signal });
  second.catch(() => {});
  await two.shown;
  expect(listServers()).toHaveLength(2);
  leaveTwo.abort(new Error("left"));
  await expect.poll(listServers, { timeout: 60_000 }).toHaveLength(1);
  for (let calls = 0; calls < 2; calls++)
    expect(await put(pool, { who: formQuestion() }, { elicit: (...q) => accept(...q) })).toEqual({ who: accepted });
  expect(listServers()).toHaveLength(2);
  leaveOne.abort(new Error("left"));
  await expect(Promise.all([first, second])).rejects.toThrow("left");
});

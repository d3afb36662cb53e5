import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { type CallToolResult, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { ElicitationReply } from "../../../src/core/forms/elicitation.ts";
import { readHost } from "../../../src/runs/input/host.ts";
import type { HostConnection } from "../../../src/runs/input/host-connection.ts";
import type { HostQuestion } from "../../../src/runs/input/host-question.ts";
import { createInputRequests, type InputRequestsOptions } from "../../../src/runs/input/input-requests.ts";
import type { RequestContext } from "../../../src/runs/input/pending-work.ts";
import { type CallProgress, createCallProgress } from "../../../src/server/mcp/gateway/call-context.ts";

const question: HostQuestion = { kind: "form", message: "Sure?", form: { type: "object", properties: {} } };

interface Waiting {
  resultType: "input_required";
  requestState: string;
}

type Work = (requestContext: RequestContext & { progress: CallProgress }) => Promise<CallToolResult>;

interface Connected {
  /** The connection is over. */
  leave(): void;
  /** One request, and what came of it: a result, or a question. */
  send(name: string, more?: object): Promise<Partial<Waiting> & Partial<CallToolResult>>;
  /** The request with the answer to a question. */
  answer(name: string, asked: Partial<Waiting>, action?: string): ReturnType<Connected["send"]>;
  client: Client;
  /** Holds what the host has received and when, a message an entry: a method, or `result`. */
  received: { kind: string; at: number }[];
}

interface ConnectedOptions extends Partial<InputRequestsOptions> {
  /** Is true for a host over HTTP. */
  overHttp?: boolean;
}

function text(words: string): CallToolResult {
  return { content: [{ type: "text", text: words }] };
}

/** What an answer meets whose question is no longer open. */
const tooLate = { code: -32602, message: expect.stringContaining("No question is waiting") };

function toWord(reply: ElicitationReply | undefined): string {
  return reply?.action ?? "nobody";
}

/** A host of the 2026 era that answers by hand, and a server of which each tool does the same work. */
async function connected(work: Work, { overHttp, ...options }: ConnectedOptions = {}): Promise<Connected> {
  const inputRequests = createInputRequests<CallToolResult>({ locale: "en", ...options });
  let connection: HostConnection | undefined;
  const leave = (): void => connection && inputRequests.closeConnection(connection);
  const [above, below] = InMemoryTransport.createLinkedPair();
  const handle = serveStdio(
    () => {
      const server = new McpServer({ name: "test", version: "1" }, { capabilities: { tools: {} } });
      const inputEnded = overHttp ? undefined : new AbortController().signal;
      connection = { server, caller: {}, isOneRequest: false, inputEnded };
      const ours = connection;
      server.server.setRequestHandler("tools/call", ({ params: { name } }, context) => {
        const progress = createCallProgress();
        const served = { kind: name, connection: ours, host: readHost(server, context), context, progress };
        return inputRequests.serve(served, (requestContext) => work({ ...requestContext, progress }));
      });
      return server;
    },
    { transport: below },
  );
  const capabilities = { elicitation: { form: {} } };
  const client = new Client({ name: "test", version: "1" }, { capabilities, versionNegotiation: { mode: "auto" } });
  await client.connect(above);
  const received: Connected["received"] = [];
  const { onmessage } = above;
  above.onmessage = (message, extra) => {
    received.push({ kind: "method" in message ? message.method : "result", at: performance.now() });
    onmessage?.(message, extra);
  };
  onTestFinished(async () => {
    leave();
    await client.close();
    await handle.close();
  });
  const send: Connected["send"] = async (name, more = {}) =>
    client.callTool({ name, arguments: {}, ...more }, { allowInputRequired: true });
  return {
    leave,
    client,
    received,
    send,
    answer: (name, { requestState }, action = "accept") =>
      send(name, { requestState, inputResponses: { question: { action, content: {} } } }),
  };
}

test("an answer goes to the work that asked, once", async () => {
  let begun = 0;
  const it = await connected(async ({ ask }) => {
    begun += 1;
    const first = await ask(question);
    const second = await ask(question);
    return text(`${toWord(first)} ${toWord(second)}`);
  });
  const one = await it.send("tool");
  expect(one.resultType).toBe("input_required");
  const two = await it.answer("tool", one);
  expect(two.requestState).not.toBe(one.requestState);
  await expect(it.answer("tool", one)).rejects.toMatchObject(tooLate);
  expect(await it.answer("tool", two, "decline")).toMatchObject(text("accept decline"));
  expect(begun).toBe(1);
});

test("a request asks ten times at most, because official clients give it up at the eleventh question", async () => {
  const rounds: boolean[] = [];
  const it = await connected(async ({ ask, hasRounds }) => {
    const words: string[] = [];
    for (let count = 1; count <= 11; count++) {
      rounds.push(hasRounds(1));
      words.push(toWord(await ask(question)));
    }
    return text(words.join(" "));
  });
  const action = "accept" as const;
  it.client.setRequestHandler("elicitation/create", () => ({ action, content: {} }));
  const result = await it.client.callTool({ name: "tool", arguments: {} });
  expect(result).toMatchObject(text([...Array(10).fill("accept"), "nobody"].join(" ")));
  expect(rounds).toEqual([...Array(10).fill(true), false]);
});

test("a dismissed dialog is told as the user's word", async () => {
  const it = await connected(async ({ ask }) => text(toWord(await ask(question))));
  expect(await it.answer("tool", await it.send("tool"), "cancel")).toMatchObject(text("cancel"));
});

test("an answer to another request, or to none, finds nothing", async () => {
  const it = await connected(async ({ ask }) => text(toWord(await ask(question))));
  const asked = await it.send("tool");
  await expect(it.answer("other", asked)).rejects.toMatchObject(tooLate);
  await expect(it.answer("tool", { requestState: "0".repeat(32) })).rejects.toMatchObject(tooLate);
  expect(await it.answer("tool", asked)).toMatchObject(text("accept"));
});

test("a question without an answer in time ends its work", async () => {
  const ended = Promise.withResolvers<void>();
  const it = await connected(
    async ({ ask, signal }) => {
      signal.addEventListener("abort", () => ended.resolve());
      return text(toWord(await ask(question)));
    },
    { patienceMs: 20 },
  );
  const asked = await it.send("tool");
  await ended.promise;
  await expect(it.answer("tool", asked)).rejects.toMatchObject(tooLate);
});

test("beyond so many open questions further ones get no answer", async () => {
  const it = await connected(async ({ ask }) => text(toWord(await ask(question))), { most: 2 });
  const asked = [await it.send("tool"), await it.send("tool")];
  expect(asked.map(({ resultType }) => resultType)).toEqual(["input_required", "input_required"]);
  expect(await it.send("tool")).toMatchObject(text("nobody"));
  expect(await it.answer("tool", asked[1] ?? {})).toMatchObject(text("accept"));
  expect((await it.send("tool")).resultType).toBe("input_required");
});

test("the end of the connection ends what waits and what runs", async () => {
  const signals: AbortSignal[] = [];
  const running = Promise.withResolvers<void>();
  const it = await connected(async ({ ask, signal }) => {
    signals.push(signal);
    if (signals.length === 2) {
      running.resolve();
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    }
    return text(toWord(await ask(question)));
  });
  const asked = await it.send("tool");
  const other = it.send("tool");
  await running.promise;
  it.leave();
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  expect(await other).toMatchObject(text("nobody"));
  await expect(it.answer("tool", asked)).rejects.toMatchObject(tooLate);
});

test("the end of a request that has asked does not end its work", async () => {
  const it = await connected(async ({ ask, signal }) => {
    const reply = await ask(question);
    return text(`${toWord(reply)} ${signal.aborted}`);
  });
  const asked = await it.send("tool");
  // Something else goes over the connection meanwhile.
  await it.send("other");
  expect(await it.answer("tool", asked)).toMatchObject(text("accept false"));
});

test("a question that is withdrawn gives way to the next", async () => {
  const withdraw = new AbortController();
  const it = await connected(async ({ ask }) => {
    const first = await ask(question, withdraw.signal);
    return text(`${toWord(first)} ${toWord(await ask({ ...question, message: "Next" }))}`);
  });
  const asked = await it.send("tool");
  withdraw.abort();
  const next = await it.answer("tool", asked);
  expect(JSON.stringify(next)).toContain("Next");
  expect(await it.answer("tool", next)).toMatchObject(text("nobody accept"));
});

test("a question that is withdrawn before it was shown is not asked, and what is asked later is", async () => {
  const it = await connected(async ({ ask }) => {
    const early = await ask(question, AbortSignal.abort());
    const withdraw = new AbortController();
    const asked = ask(question, withdraw.signal);
    withdraw.abort();
    const first = await asked;
    await new Promise((resolve) => setTimeout(resolve, 5));
    return text(`${toWord(early)} ${toWord(first)} ${toWord(await ask({ ...question, message: "Later" }))}`);
  });
  const later = await it.send("tool");
  expect(JSON.stringify(later)).toContain("Later");
  expect(await it.answer("tool", later)).toMatchObject(text("nobody nobody accept"));
});

test("a request that is cancelled while its question goes out leaves nothing that waits", async () => {
  const it = await connected(
    async ({ ask, progress }) => {
      progress.notify("asking");
      return text(toWord(await ask(question)));
    },
    { most: 1 },
  );
  const cancel = new AbortController();
  const options = { signal: cancel.signal, onprogress: () => cancel.abort(), allowInputRequired: true } as const;
  await expect(it.client.callTool({ name: "tool", arguments: {} }, options)).rejects.toThrow();
  // The next answer comes behind the cancel.
  const asked = await it.send("tool");
  expect(asked.resultType).toBe("input_required");
  expect(await it.answer("tool", asked)).toMatchObject(text("accept"));
});

test("progress goes on counting from one request to the next", async () => {
  const it = await connected(async ({ ask, progress }) => {
    progress.notify("before");
    await ask(question);
    progress.notify("after");
    return text("done");
  });
  const heard: [number, string | undefined][] = [];
  const onprogress = (one: { progress: number; message?: string }) => heard.push([one.progress, one.message]);
  it.client.setRequestHandler("elicitation/create", async () => ({ action: "accept", content: {} }));
  await it.client.callTool({ name: "tool", arguments: {} }, { onprogress });
  const ours = heard.filter(([, message]) => message === "before" || message === "after");
  expect(ours.map(([, message]) => message)).toEqual(["before", "after"]);
  expect(ours[1]?.[0]).toBeGreaterThan(ours[0]?.[0] ?? Number.NaN);
});

describe("a result that comes with its call's progress", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  const progressThenResult: Work = async ({ progress }) => {
    progress.notify("last");
    return text("done");
  };
  const onprogress = (): void => {};

  test("over stdio to a host of the 2026 era follows the last notification after 20 ms", async () => {
    const { client, received } = await connected(progressThenResult);
    const call = client.callTool({ name: "tool", arguments: {} }, { onprogress });
    const began = performance.now();
    await vi.advanceTimersByTimeAsync(19);
    expect(received).toEqual([{ kind: "notifications/progress", at: began }]);
    await vi.advanceTimersByTimeAsync(1);
    await call;
    expect(received[1]).toEqual({ kind: "result", at: began + 20 });
  });

  test("waits on while the machine is busy, and comes all the same where it stays so", async () => {
    const { client, received } = await connected(progressThenResult);
    const readClock = performance.now.bind(performance);
    let lateMs = 0;
    vi.spyOn(performance, "now").mockImplementation(() => {
      lateMs += 10;
      return readClock() + lateMs;
    });
    const call = client.callTool({ name: "tool", arguments: {} }, { onprogress });
    await vi.advanceTimersByTimeAsync(110);
    expect(received.map(({ kind }) => kind)).toEqual(["notifications/progress"]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await call).toMatchObject(text("done"));
  });

  test("needs no pause any more where the last notification was sent long before", async () => {
    const finish = Promise.withResolvers<void>();
    const { client, received } = await connected(async ({ progress }) => {
      progress.notify("last");
      await finish.promise;
      return text("done");
    });
    const call = client.callTool({ name: "tool", arguments: {} }, { onprogress });
    await vi.advanceTimersByTimeAsync(1_000);
    finish.resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect(received.map(({ kind }) => kind)).toEqual(["notifications/progress", "result"]);
    await call;
  });

  test("over HTTP follows it at once", async () => {
    const { client, received } = await connected(progressThenResult, { overHttp: true });
    const call = client.callTool({ name: "tool", arguments: {} }, { onprogress });
    await vi.advanceTimersByTimeAsync(0);
    expect(received.map(({ kind }) => kind)).toEqual(["notifications/progress", "result"]);
    await call;
  });

  test("over stdio comes at once where nothing was sent", async () => {
    const { client, received } = await connected(async () => text("done"));
    const call = client.callTool({ name: "tool", arguments: {} }, { onprogress });
    await vi.advanceTimersByTimeAsync(0);
    expect(received.map(({ kind }) => kind)).toEqual(["result"]);
    await call;
  });
});

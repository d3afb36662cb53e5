import { EventEmitter, once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import type { AgentEvent } from "../../../src/core/run/events.ts";
import type { Locale } from "../../../src/kit/locale.ts";
import { createApi, readRunId } from "../../../src/server/web/chat/api/api.ts";
import { readMessages } from "../../../src/server/web/chat/api/event-stream.ts";
import { followRun, type RunUpdate } from "../../../src/server/web/chat/api/follow-run.ts";
import { createSender } from "../../../src/server/web/chat/api/sender.ts";
import { type Changes, watchChanges } from "../../../src/server/web/chat/watch/watch-changes.ts";
import { makeTool } from "../../fakes/events.ts";
import { type HttpDuetSettings, startHttpDuet } from "../../fakes/http-duet.ts";
import type { ScriptedTurn } from "../../fakes/model.ts";

const asking = { message: "What is Duet?", mode: "agent", locale: "en" } as const;

test("a question is asked, its events come once each and in order, and it is over with its run", async () => {
  const { api, open } = await serve([[call("look")], "Duet is an agent."]);
  const told = await follow((after, signal) => open(after, signal, (stop) => api.ask(asking, "key-1", stop)));
  expect(told.events.map(({ type }) => type)).toMatchObject({ 0: "run-start" });
  expect(told.events.at(-1)).toMatchObject({ type: "run-end", outcome: { status: "complete" } });
  expect(textOf(told.events)).toBe("Duet is an agent.");
  expect(told.lost).toEqual([]);
});

test("a connection that breaks in the middle is opened again behind the last event; nothing is told twice", async () => {
  const { api, open } = await serve([[call("look")], "Duet is an agent."]);
  let opened = 0;
  const told = await follow(async (after, signal) => {
    opened += 1;
    const response = await open(after, signal, (stop) => api.ask(asking, "key-2", stop));
    return opened < 3 ? cutAfter(response, 2) : response;
  });
  expect(opened).toBe(3);
  expect(textOf(told.events)).toBe("Duet is an agent.");
  expect(told.events.filter(({ type }) => type === "run-start")).toHaveLength(1);
  expect(told.lost).toEqual([true, false, true, false]);
});

test("a call that needs consent comes as a question, goes on when it is answered, and the question is closed", async () => {
  const asks = { settings: { tools: { ask: ["look"] } } };
  const { api, open } = await serve([[call("look")], "Done."], asks);
  let runId = "";
  const told = await follow(
    async (after, signal) => {
      const response = await open(after, signal, (stop) => api.ask(asking, "key-3", stop));
      runId = readRunId(response) ?? runId;
      return response;
    },
    ({ question }) => {
      if (question) void api.reply(runId, question.id, "once");
    },
  );
  expect(told.questions).toMatchObject([{ kind: "call", tool: "look", arguments: { word: "Duet" } }, null]);
  expect(told.events.find(({ type }) => type === "tool-end")).toMatchObject({ ok: true });
});

test("a question that is asked again with its key is the same run", async () => {
  const { api, model } = await serve(["One answer."]);
  const never = new AbortController().signal;
  const ids: unknown[] = [];
  for (const _ of ["first", "again"]) {
    const response = await api.ask(asking, "key-4", never);
    ids.push(readRunId(response));
    await response.text();
  }
  expect(ids[0]).toMatch(/^run-/);
  expect(ids[1]).toBe(ids[0]);
  expect(model.requests).toHaveLength(1);
});

test("a run that is not there is refused in the server's words, and not asked for again", async () => {
  const { api } = await serve([]);
  const following = follow((after, signal) => api.events("run-none", after, signal));
  await expect(following).rejects.toMatchObject({ name: "ApiError", status: 404 });
  await expect(following).rejects.toThrow(/no run "?run-none/);
});

test("a server that is back and does not have the run any more is not lost any more", async () => {
  const { api } = await serve([]);
  const lost: boolean[] = [];
  const following = followRun({
    open: (after, signal) =>
      lost.length === 0 ? Promise.reject(new TypeError("Failed to fetch")) : api.events("run-none", after, signal),
    handle: () => {},
    reportConnectivity: (isLost) => void lost.push(isLost),
    mayPass: () => false,
  });
  await expect(following).rejects.toMatchObject({ status: 404 });
  expect(lost).toEqual([true, false]);
});

test("a run whose stream the server does not begin is asked for again, and the server counts as lost meanwhile", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    if (asked > 1) response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  const signIn = () => Promise.reject(new Error("no sign-in"));
  const api = createApi(createSender({ origin, token: () => undefined, locale: () => "en", signIn }));
  const following = follow((after, signal) => api.events("run-1", after, signal));
  while (asked < 1) await new Promise(setImmediate);
  await vi.advanceTimersByTimeAsync(35_000);
  while (asked < 2) await vi.advanceTimersByTimeAsync(100);
  expect(await following).toMatchObject({ events: [], lost: [true, false] });
});

test("a server that wants a token is asked again once somebody has signed in", async () => {
  const { origin } = await startHttpDuet({ environment: { DUET_HTTP_TOKEN: "a-secret-of-enough-length-0123456789" } });
  const tokens = ["wrong", "a-secret-of-enough-length-0123456789"];
  let token: string | undefined;
  const send = createSender({
    origin,
    token: () => token,
    locale: () => "en",
    async signIn() {
      token = tokens.shift();
    },
  });
  expect(await createApi(send).settings()).toMatchObject({ mode: "chat" });
  expect(tokens).toEqual([]);
});

test("what the server refuses is worded in the language that the page has at that moment", async () => {
  const { origin } = await startHttpDuet({});
  const locales: Locale[] = ["zh", "en"];
  const signIn = () => Promise.reject(new Error("no sign-in"));
  const send = createSender({ origin, token: () => undefined, locale: () => locales.shift() ?? "en", signIn });
  const refusal = () =>
    createApi(send)
      .outcome("run-gone")
      .catch((thrown: Error) => thrown.message);
  expect(await refusal()).toMatch(/\p{Script=Han}/u);
  expect(await refusal()).not.toMatch(/\p{Script=Han}/u);
});

test("a page on which nothing runs learns that the server is gone, and that it is there again", async () => {
  const createChanges = () =>
    createServer((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).write("event: reload\ndata: {}\n\n");
    });
  const listen = (server: Server, port: number) =>
    new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const close = (server: Server) => {
    server.closeAllConnections();
    server.close();
  };
  const [first, second] = [createChanges(), createChanges()];
  await listen(first, 0);
  const { port } = first.address() as AddressInfo;
  const document = Object.assign(new EventTarget(), { visibilityState: "visible" });
  onTestFinished(() => {
    document.visibilityState = "hidden";
    document.dispatchEvent(new Event("visibilitychange"));
    for (const server of [first, second]) close(server);
  });
  const lines = new EventEmitter();
  const next = (line: string) => once(lines, line);
  const changes: Changes = {
    lost: (isLost) => lines.emit(isLost ? "lost" : "found"),
    reload: () => lines.emit("reload"),
    removed() {},
    entry() {},
    run() {},
    queue() {},
  };
  const signIn = () => Promise.reject(new Error("no sign-in"));
  const send = createSender({ origin: `http://127.0.0.1:${port}`, token: () => undefined, locale: () => "en", signIn });
  const read = next("reload");
  watchChanges(document, createApi(send), changes);
  await read;
  const lost = next("lost");
  close(first);
  await lost;
  const found = next("found");
  await listen(second, port);
  await found;
});

test("a message may come in any pieces; comments and line ends of both kinds are no matter", async () => {
  const text = ': hello\n\nid: 1\r\nevent: a\r\ndata: {"x":\r\ndata: 1}\r\n\r\ndata: é\n\n';
  const bytes = new TextEncoder().encode(text);
  for (const size of [1, 2, 3, 7, bytes.length]) {
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.slice(at * size, at * size + size),
    );
    const messages = await Array.fromAsync(readMessages(new Blob(pieces).stream()));
    expect(messages.flat()).toEqual([
      { id: "1", event: "a", data: '{"x":\n1}' },
      { id: "", event: "", data: "é" },
    ]);
  }
});

function call(name: string) {
  return { id: "1", name, input: { word: "Duet" } };
}

async function serve(turns: ScriptedTurn[], more: HttpDuetSettings = {}) {
  const tool = makeTool("look", () => ({
    ok: true,
    text: "Duet is an agent that is a server, which is enough to know.",
  }));
  const { origin, model } = await startHttpDuet({ turns, tools: [tool], ...more });
  const send = createSender({
    origin,
    token: () => undefined,
    locale: () => "en",
    signIn: () => Promise.reject(new Error("no sign-in")),
  });
  const api = createApi(send);
  let runId: string | undefined;
  /** Asks the first time, and looks for the run after that. */
  const open = async (after: number, signal: AbortSignal, ask: (signal: AbortSignal) => Promise<Response>) => {
    if (runId !== undefined) return api.events(runId, after, signal);
    const response = await ask(signal);
    runId = readRunId(response);
    return response;
  };
  return { api, model, open };
}

async function follow(
  open: (after: number, signal: AbortSignal) => Promise<Response>,
  hear: (update: RunUpdate) => void = () => {},
) {
  const events: AgentEvent[] = [];
  const questions: RunUpdate["question"][] = [];
  const lost: boolean[] = [];
  await followRun({
    open,
    handle(update) {
      events.push(...update.events);
      if (update.question !== undefined) questions.push(update.question);
      hear(update);
    },
    reportConnectivity: (isLost) => void lost.push(isLost),
    mayPass: ({ status }) => status >= 500,
  });
  return { events, questions, lost };
}

/** The response with its stream cut off after this many events, as a lost connection does. */
function cutAfter(response: Response, most: number): Response {
  let seen = 0;
  let text = "";
  const decoder = new TextDecoder();
  const cut = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      text += decoder.decode(bytes, { stream: true });
      for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
        controller.enqueue(new TextEncoder().encode(text.slice(0, end + 2)));
        seen += /^id: /m.test(text.slice(0, end)) ? 1 : 0;
        text = text.slice(end + 2);
        if (seen === most) return controller.error(new TypeError("network error"));
      }
    },
  });
  return new Response(response.body?.pipeThrough(cut), { status: response.status, headers: response.headers });
}

function textOf(events: readonly AgentEvent[]): string {
  return events.map((event) => (event.type === "answer-delta" ? event.text : "")).join("");
}

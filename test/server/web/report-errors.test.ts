import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { type Api, createApi } from "../../../src/server/web/chat/api/api.ts";
import { createSender } from "../../../src/server/web/chat/api/sender.ts";
import { createReportErrors } from "../../../src/server/web/chat/report-errors.ts";
import { createChat, createStore } from "../../../src/server/web/chat/state/chat-state.ts";

test("each error is told for what it is: only a server that does not answer cannot be reached", async () => {
  const answers: Readonly<Record<string, [status: number, body: string]>> = {
    "/agent/runs/run-html": [200, "<html>"],
    "/agent/runs/run-gone": [404, JSON.stringify({ detail: "no run run-gone" })],
    "/agent/conversations/conv-1/queue": [201, "{}"],
  };
  const server = createServer(({ url = "" }, response) => {
    const [path = ""] = url.split("?");
    const answer = answers[path];
    if (answer === undefined) {
      response.writeHead(200, { "content-length": "9" }).write('{"a"');
      setImmediate(() => response.destroy());
    } else response.writeHead(answer[0]).end(answer[1]);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  const signIn = () => Promise.reject(new Error("no sign-in"));
  const told = async (work: (api: Api) => Promise<unknown>, at = origin): Promise<string> => {
    const store = createStore(createChat({ mode: "chat", search: false, models: {}, parameters: {} }), () => {});
    const api = createApi(createSender({ origin: at, token: () => undefined, locale: () => "en", signIn }));
    const attempt = createReportErrors(store, () => "en");
    expect(
      await attempt(
        work(api).then(() => {}),
        "Not done: ",
      ),
    ).toBe(false);
    return store.state.problem?.text ?? "";
  };
  const asking = { message: "Well?", mode: undefined, locale: "en" } as const;
  const unreached = "Not done: The server cannot be reached.";
  const unclear = "Not done: The server answered with something that this page does not understand.";
  expect(await told((api) => api.cancel("run-1"), "http://127.0.0.1:1")).toBe(unreached);
  expect(await told((api) => api.outcome("run-broken"))).toBe(unreached);
  expect(await told((api) => api.exportConversation("conv-broken", "json"))).toBe(unreached);
  expect(await told((api) => api.image("http://127.0.0.1/broken.png"))).toBe(unreached);
  expect(await told((api) => api.outcome("run-html"))).toBe(unclear);
  expect(await told((api) => api.queue("conv-1", asking, "key-1"))).toBe(unclear);
  expect(await told((api) => api.outcome("run-gone"))).toBe("Not done: no run run-gone");
  expect(await told(async () => Promise.reject(new TypeError("x is not a function")))).toBe(
    "Not done: x is not a function",
  );
});

test("a request that its caller aborts is not told as a server that cannot be reached", async () => {
  const signIn = () => Promise.reject(new Error("no sign-in"));
  const send = createSender({ origin: "http://127.0.0.1:1", token: () => undefined, locale: () => "en", signIn });
  await expect(send("GET", "/", { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: "AbortError" });
  await expect(send("GET", "/")).rejects.toMatchObject({ name: "UnreachedError" });

  const server = createServer((_, response) => void response.writeHead(200).write('{"a"'));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  const leaving = new AbortController();
  const answered = Promise.withResolvers<void>();
  const real = createSender({ origin, token: () => undefined, locale: () => "en", signIn });
  const api = createApi((...sending) => real(...sending).finally(answered.resolve));
  const searched = api.conversations({ q: "Duet" }, leaving.signal);
  await answered.promise;
  leaving.abort();
  await expect(searched).rejects.toMatchObject({ name: "AbortError" });
});

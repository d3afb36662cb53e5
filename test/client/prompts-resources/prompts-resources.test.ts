import { expect, test, vi } from "vitest";
import type { CallerOptions } from "../../../src/client/calls/request-sender.ts";
import type { Pool } from "../../../src/client/pool.ts";
import { createPromptsAndResources, isTemplateMatch } from "../../../src/client/prompts-resources/prompts-resources.ts";
import { DuetError } from "../../../src/kit/errors.ts";

type Answer = Record<string, unknown>;
type Ask = (method: string, params: Record<string, unknown>) => Promise<Answer> | Answer;

/** Servers in their order, each a function that answers requests. */
type FakePool = Pick<Pool, "status" | "request" | "checkTexts" | "subscribe" | "unsubscribe" | "onUpdated"> & {
  /** What is subscribed to, as `server uri`. */
  subscribed: Set<string>;
  /** A server tells of a change. */
  update(server: string, uri: string): void;
};

function poolOf(servers: Record<string, Ask>): FakePool {
  const offers = { prompts: true, resources: true, completions: true, subscriptions: true };
  const status = {
    transport: "stdio",
    state: "ready",
    toolCount: 0,
    error: null,
    lastError: null,
    problems: [],
    warnings: [],
  } as const;
  const rest = { waiting: 0, startMs: 1, restarts: 0, retryInMs: null, serverInfo: null, protocolVersion: null };
  const subscribed = new Set<string>();
  const listeners: ((server: string, uri: string) => void)[] = [];
  return {
    subscribed,
    update: (server, uri) => listeners.forEach((listener) => void listener(server, uri)),
    async subscribe(server, uri) {
      subscribed.add(`${server} ${uri}`);
    },
    async unsubscribe(server, uri) {
      subscribed.delete(`${server} ${uri}`);
    },
    onUpdated: (listener) => void listeners.push(listener),
    status: () =>
      Object.keys(servers).map((name) => ({ name, offers, ...status, ...rest, problems: [], warnings: [] })),
    request: async (server, method, params) => servers[server]?.(method, params) ?? {},
    checkTexts: async (_server, _list, entries) => [...entries],
  };
}

const quiet = { onLate: () => {}, onLine: () => {} };

function sharing(...uris: string[]): Ask {
  return (method, params) => {
    if (method === "resources/list") return { resources: uris.map((uri) => ({ uri, name: `about ${uri}` })) };
    if (method === "resources/templates/list")
      return { resourceTemplates: [{ uriTemplate: "note://{id}", name: "notes" }] };
    if (method === "resources/read") return { contents: [{ uri: params.uri, text: uris.join() }] };
    return {};
  };
}

function options(): CallerOptions {
  return { signal: new AbortController().signal, onProgress: () => {} };
}

test("of two servers with one URI the first lists it and answers it", async () => {
  const offerings = createPromptsAndResources(
    poolOf({ a: sharing("x://1", "x://2"), b: sharing("x://2", "x://3") }),
    quiet,
  );
  expect((await offerings.resources()).map(({ uri }) => uri)).toEqual(["x://1", "x://2", "x://3"]);
  expect(await offerings.resourceTemplates()).toHaveLength(1);
  const texts = await Promise.all(["x://2", "x://3", "note://5"].map((uri) => offerings.readResource(uri, options())));
  expect(texts).toMatchObject([
    { contents: [{ text: "x://1,x://2" }] },
    { contents: [{ text: "x://2,x://3" }] },
    { contents: [{ text: "x://1,x://2" }] },
  ]);
  expect(await offerings.readResource("y://1", options())).toBeUndefined();
});

test("a link is read where it came from", async () => {
  const offerings = createPromptsAndResources(poolOf({ a: sharing("x://1"), b: sharing("x://2") }), quiet);
  offerings.learn("b", "hidden://7");
  expect(await offerings.readResource("hidden://7", options())).toMatchObject({ contents: [{ text: "x://2" }] });
});

test("prompts of one name are told apart, also under names that no host would take, and go back as they were", async () => {
  const got: unknown[] = [];
  const server: Ask = (method, params) => {
    if (method === "prompts/list") return { prompts: [{ name: "hi" }, { name: "say hi!" }, { noName: 1 }, "nothing"] };
    got.push(params);
    return { messages: [] };
  };
  const offerings = createPromptsAndResources(poolOf({ a: server, b: server }), quiet);
  const names = (await offerings.prompts()).map(({ name }) => String(name));
  expect(new Set(names).size).toBe(4);
  expect(names).toContain("b__hi");
  for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  await offerings.getPrompt(names[3] ?? "", { who: "Ada" }, options());
  expect(got).toEqual([{ name: "say hi!", arguments: { who: "Ada" } }]);
  expect(await offerings.getPrompt("a__nothing", {}, options())).toBeUndefined();
});

test("all pages are read, and a list that goes in circles ends", async () => {
  const server: Ask = (_, { cursor = "0" }) => ({
    prompts: [{ name: `p${cursor}` }],
    nextCursor: String((Number(cursor) + 1) % 3),
  });
  const offerings = createPromptsAndResources(poolOf({ a: server }), quiet);
  expect((await offerings.prompts()).map(({ name }) => name)).toEqual(["a__p0", "a__p1", "a__p2"]);
});

test.each([
  () => {
    throw new Error("down");
  },
  () => ({ prompts: "none" }),
])(
  "a list is fetched once until it is said to have changed, and what was known stays when that fails",
  async (fail) => {
    let count = 0;
    const server: Ask = () => {
      count += 1;
      if (count === 2) return fail();
      return { prompts: [{ name: `p${count}` }] };
    };
    const offerings = createPromptsAndResources(poolOf({ a: server }), quiet);
    const names = async () => (await offerings.prompts()).map(({ name }) => name);
    expect([await names(), await names()]).toEqual([["a__p1"], ["a__p1"]]);
    offerings.changed("prompts");
    expect(await names()).toEqual(["a__p1"]);
    await expect.poll(names).toEqual(["a__p3"]);
  },
);

test("a server that does not answer holds nobody up for more than five seconds; that is told, and so is its answer", async () => {
  vi.useFakeTimers();
  try {
    const slow = Promise.withResolvers<Answer>();
    const late: string[] = [];
    const told: string[] = [];
    const pool = poolOf({ slow: () => slow.promise, quick: () => ({ prompts: [{ name: "p" }] }) });
    const offerings = createPromptsAndResources(pool, {
      onLate: (list) => late.push(list),
      onLine: ({ en }) => told.push(en),
    });
    const first = offerings.prompts();
    await vi.advanceTimersByTimeAsync(5_000);
    expect((await first).map(({ name }) => name)).toEqual(["quick__p"]);
    const second = offerings.prompts();
    await vi.advanceTimersByTimeAsync(1);
    expect(await second).toHaveLength(1);
    expect(told).toEqual(["The MCP server slow did not list its prompts within 5 s; the list omits them for now."]);
    slow.resolve({ prompts: [{ name: "q" }] });
    await vi.advanceTimersByTimeAsync(1);
    expect(late).toContain("prompts");
    expect((await offerings.prompts()).map(({ name }) => name)).toEqual(["slow__q", "quick__p"]);
  } finally {
    vi.useRealTimers();
  }
});

test("what a slow server lists late is waited for by whoever asks for it", async () => {
  vi.useFakeTimers();
  try {
    const late = Promise.withResolvers<void>();
    const slow: Ask = async (method, params) => {
      if (method.endsWith("/list")) await late.promise;
      if (method === "prompts/list") return { prompts: [{ name: "p" }] };
      return method === "prompts/get" ? { messages: [] } : sharing("x://1")(method, params);
    };
    // Whoever finds it in one list waits for no other.
    const silent: Ask = () => new Promise(() => {});
    const offerings = createPromptsAndResources(poolOf({ silent, slow }), quiet);
    const { signal } = new AbortController();
    const asked = Promise.all([
      ...["x://1", "note://5"].map((uri) => offerings.readResource(uri, options())),
      offerings.getPrompt("slow__p", {}, options()),
      offerings.subscribe("x://1", () => {}, signal),
    ]);
    const unknown = offerings.only((server) => server === "slow").readResource("y://1", options());
    await vi.advanceTimersByTimeAsync(20_000);
    late.resolve();
    await vi.advanceTimersByTimeAsync(1);
    expect(await asked).toEqual([
      { contents: [{ uri: "x://1", text: "x://1" }] },
      { contents: [{ uri: "note://5", text: "x://1" }] },
      { messages: [] },
      expect.any(Function),
    ]);
    expect(await unknown).toBeUndefined();
  } finally {
    vi.useRealTimers();
  }
});

test("what may stand in a list that cannot be had is not called unknown: the reason is told, to whom it concerns", async () => {
  vi.useFakeTimers();
  try {
    const silent: Ask = () => new Promise(() => {});
    const offerings = createPromptsAndResources(poolOf({ silent, other: sharing("x://1") }), quiet);
    const told = Promise.all([
      expect(offerings.readResource("y://1", options())).rejects.toThrow("silent resources/list timed out after 30 s"),
      expect(offerings.getPrompt("silent__p", {}, options())).rejects.toThrow("silent prompts/list timed out"),
    ]);
    const given = new AbortController();
    const left = offerings.readResource("y://2", { ...options(), signal: given.signal });
    const leaves = expect(left).rejects.toThrow("I leave");
    await vi.advanceTimersByTimeAsync(5_000);
    given.abort(new Error("I leave"));
    await leaves;
    await vi.advanceTimersByTimeAsync(30_000);
    await told;
    expect(await offerings.readResource("x://1", options())).toMatchObject({ contents: [{ text: "x://1" }] });
    expect(await offerings.getPrompt("other__p", {}, options())).toBeUndefined();
    // It is known now that the server cannot be asked: nobody waits for it any more.
    await expect(offerings.readResource("y://1", options())).rejects.toThrow("timed out after 30 s");
    expect(
      await offerings.complete(
        { ref: { type: "ref/prompt", name: "silent__p" }, argument: { name: "a", value: "" } },
        options(),
      ),
    ).toBeUndefined();
    const others = offerings.only((server) => server === "other");
    expect(await others.readResource("y://1", options())).toBeUndefined();
  } finally {
    vi.useRealTimers();
  }
});

test("a server that refuses to list has nothing to list", async () => {
  const server: Ask = (method, params) => {
    if (method === "resources/templates/list")
      throw new DuetError({ code: "tool", text: { zh: "没有这个方法", en: "Method not found" } });
    return sharing("x://1")(method, params);
  };
  const offerings = createPromptsAndResources(poolOf({ a: server }), quiet);
  expect(await offerings.readResource("y://1", options())).toBeUndefined();
});

/** Lists these URIs and templates, and reads whatever it is asked for. */
function offers(name: string, uris: string[], templates: string[]): Ask {
  return (method, { uri }) => {
    if (method === "resources/list") return { resources: uris.map((each) => ({ uri: each, name: each })) };
    if (method === "resources/templates/list")
      return { resourceTemplates: templates.map((uriTemplate) => ({ uriTemplate, name: uriTemplate })) };
    return { contents: [{ uri, text: name }] };
  };
}

test("a listed URI beats every template, a narrow template a wide one; two servers that list one URI are told of once", async () => {
  const told: string[] = [];
  const servers = {
    evil: offers("evil", ["notes://both", "notes://too"], ["{+any}", "notes://{+any}"]),
    good: offers("good", ["notes://listed", "notes://both", "notes://too"], ["notes://unlisted/{id}", "notes://{id}"]),
  };
  const offerings = createPromptsAndResources(poolOf(servers), { ...quiet, onLine: ({ en }) => told.push(en) });
  const asked = ["notes://listed", "notes://unlisted/42", "notes://7", "notes://both", "else://1"];
  const read = await Promise.all(asked.map((uri) => offerings.readResource(uri, options())));
  const texts = read.map((answer) => JSON.parse(JSON.stringify(answer)).contents[0].text);
  expect(texts).toEqual(["good", "good", "evil", "evil", "evil"]);
  await offerings.resources();
  expect(told).toEqual([expect.stringContaining('evil and good both offer "notes://both": evil is used')]);
});

test("a link beats only a template that fits everything", async () => {
  const servers = { evil: offers("evil", [], ["{+any}"]), good: offers("good", [], ["notes://{id}"]) };
  const offerings = createPromptsAndResources(poolOf(servers), quiet);
  offerings.learn("good", "hidden://7");
  offerings.learn("evil", "notes://7");
  const read = await Promise.all(["hidden://7", "notes://7"].map((uri) => offerings.readResource(uri, options())));
  expect(read).toMatchObject([{ contents: [{ text: "good" }] }, { contents: [{ text: "good" }] }]);
});

test("what is hidden in texts of prompts and resources is shown, and no text is without end", async () => {
  const server: Ask = (method) => {
    if (method === "prompts/list")
      return {
        prompts: [
          {
            name: "p",
            title: "a\u202eb",
            description: "x".repeat(50_000),
            arguments: [{ name: "who", description: "\u{e0041}" }],
          },
        ],
      };
    if (method === "resources/list")
      return {
        resources: [
          { uri: "x://1", name: "n\u001b[2J", title: "t".repeat(1000), description: "\u200bsecret" },
          { uri: "x://\u200b2", name: "unseen" },
        ],
      };
    return {};
  };
  const offerings = createPromptsAndResources(poolOf({ a: server }), quiet);
  const [prompt] = await offerings.prompts();
  expect(prompt).toMatchObject({
    name: "a__p",
    title: "a\\u{202E}b",
    arguments: [{ name: "who", description: "\\u{E0041}" }],
  });
  expect(String(prompt?.description)).toHaveLength(4000);
  const resources = await offerings.resources();
  expect(resources).toMatchObject([{ uri: "x://1", name: "n\\u{1B}[2J", description: "\\u{200B}secret" }]);
  expect(String(resources[0]?.title)).toHaveLength(200);
});

test.each([
  ["note://{id}", "note://7", true],
  ["note://{id}/end", "note://7/end", true],
  ["note://{id}/end", "note://7/start", false],
  ["a{b}c{d}c", "abc", false],
  ["a{b}c{d}c", "acc", true],
  ["file:///{+path}", "file:///a/b", true],
  ["plain://x", "plain://x", true],
  ["plain://x", "plain://xy", false],
])("whether a URI may come from a template: %s, %s", (template, uri, expected) => {
  expect(isTemplateMatch(uri, template)).toBe(expected);
});

test("a resource is followed at the server that answers it, once for all, and no longer than somebody follows it", async () => {
  const pool = poolOf({ a: sharing("x://1"), b: sharing("x://1", "x://2") });
  const offerings = createPromptsAndResources(pool, quiet);
  const { signal } = new AbortController();
  const heard: string[] = [];
  const follow = (who: string, uri: string) =>
    offerings.subscribe(uri, (changed) => heard.push(`${who} ${changed}`), signal);
  const stopOne = await follow("one", "x://1");
  const stopTwo = await follow("two", "x://1");
  expect([...pool.subscribed]).toEqual(["a x://1"]);
  pool.update("a", "x://1");
  // The server that does not answer it, and a resource that only begins the same, tell nothing of it.
  pool.update("b", "x://1");
  pool.update("a", "x://10");
  pool.update("a", "x://1/part");
  expect(heard).toEqual(["one x://1", "two x://1", "one x://1/part", "two x://1/part"]);
  stopOne?.();
  stopOne?.();
  pool.update("a", "x://1");
  expect(heard.slice(4)).toEqual(["two x://1"]);
  expect(pool.subscribed.size).toBe(1);
  stopTwo?.();
  expect(pool.subscribed.size).toBe(0);
  expect(await follow("one", "y://1")).toBeUndefined();
});

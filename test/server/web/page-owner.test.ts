import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { fetchOwner } from "../../../src/server/web/chat/api/account.ts";
import { ApiError } from "../../../src/server/web/chat/api/api-error.ts";
import { createCaller } from "../../../src/server/web/chat/api/call-agent.ts";
import { createSender } from "../../../src/server/web/chat/api/sender.ts";
import { createOwnerSender, createPageOwner } from "../../../src/server/web/chat/page-owner.ts";
import { createDrafts } from "../../../src/server/web/chat/storage/drafts.ts";
import { createTabStorage } from "../../../src/server/web/chat/storage/tab-storage.ts";

const chat = { locale: "en", choices: { mode: "plan" }, conversationId: "conv-1", runs: [] } as const;
const file = { name: "file", media_type: "text/plain", data: "x" };

/** A storage as a browser has it, with room for as many more characters as is said. */
function openStorage(more = 1_000): Storage & { fill(): void } {
  const values = new Map<string, string>();
  let room = more;
  return {
    fill() {
      room = 0;
    },
    get length() {
      return values.size;
    },
    key: (index) => [...values.keys()][index] ?? null,
    getItem: (name) => values.get(name) ?? null,
    clear: () => values.clear(),
    removeItem(name) {
      values.delete(name);
    },
    setItem(name, value) {
      if (value.length > room) throw new Error("QuotaExceededError");
      values.set(name, value);
      room -= value.length;
    },
  };
}

function openOwner(answers: (string | Error)[], storage = openStorage()) {
  const keeper = createTabStorage(() => storage);
  const events: string[] = [];
  const owner = createPageOwner({
    keeper,
    async readOwner() {
      const answer = answers.shift() ?? "nobody";
      if (answer instanceof Error) throw answer;
      return answer;
    },
    onAnother: () => events.push("another"),
  });
  const send = createOwnerSender(async (method, path) => {
    events.push(`${method} ${path}`);
    return new Response();
  }, owner);
  return { keeper, owner, send, events };
}

/** Lets everything go on that does not wait for anything outside. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

test("nothing is sent before the server has said who asks, and nothing at all as somebody else", async () => {
  const { keeper, owner, send, events } = openOwner(["ann", "bob"]);
  await send("POST", "/first");
  expect(await owner.known).toBe("ann");
  owner.renew();
  void send("POST", "/as bob");
  await send("GET", "/read");
  await settle();
  expect(events).toEqual(["POST /first", "GET /read", "another"]);
  keeper.keepChat(chat);
  keeper.removeMarked();
  expect([keeper.owner(), keeper.chat().conversationId]).toEqual([undefined, undefined]);
  expect(owner.admitOwner("ann")).toBe(false);
});

test("what is sent is refused while the server does not say who asks, and each time it is asked again", async () => {
  const { send, events } = openOwner([
    new ApiError(403, "no scope", null),
    new ApiError(403, "still none", null),
    "ann",
  ]);
  await expect(send("POST", "/one")).rejects.toThrow("no scope");
  await expect(send("POST", "/two")).rejects.toThrow("still none");
  await send("POST", "/three");
  expect(events).toEqual(["POST /three"]);
});

test("a tab whose storage is full is left as well, and the token that was replaced is not used again", () => {
  const storage = openStorage();
  const keeper = createTabStorage(() => storage);
  keeper.keepToken("old");
  keeper.keepOwner("ann");
  keeper.keepChat(chat);
  storage.fill();
  keeper.keepToken("new");
  keeper.markForRemoval();
  const next = createTabStorage(() => storage);
  expect([keeper.token(), next.token(), next.owner()]).toEqual(["new", undefined, undefined]);
  expect(next.chat().conversationId).toBeUndefined();
  // What this page still keeps is its owner's.
  expect(keeper.owner()).toBe("ann");
});

test("a tab that was left has the drafts of each person apart, and what was written before is nobody else's", () => {
  const storage = openStorage();
  const keeper = createTabStorage(() => storage);
  keeper.keepOwner("ann");
  const none = { text: "", files: [] };
  const openDrafts = (owner: string, now = none) => {
    const kept: string[] = [];
    const drafts = createDrafts(
      () => storage,
      (_, { text }) => kept.push(text),
    );
    const first = drafts.turnTo({ conversationId: undefined, items: [] }, none);
    drafts.write(now);
    return { first, shown: drafts.open(owner, now), kept, drafts };
  };
  openDrafts("ann").drafts.write({ text: "hers", files: [file] });
  keeper.markForRemoval();
  keeper.removeMarked();
  expect(openDrafts("bob")).toMatchObject({ first: none, shown: none, kept: [] });
  const back = openDrafts("ann", { text: "and more", files: [] });
  expect(back).toMatchObject({ first: none, shown: { text: "hers\nand more" }, kept: ["hers\nand more"] });
});

test("a server that does not say who asks in time, or says something else, is told apart", async () => {
  const answers = ['{"caller":null}', '{"caller":"ann"}', "[]", "<html>", '{"caller":1}'];
  const server = createServer(({ url }, response) => {
    if (url !== "/silent") response.end(answers.shift());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  const send = createSender({
    origin,
    token: () => undefined,
    locale: () => "en",
    signIn: () => Promise.reject(new Error("no sign-in")),
  });
  const limits: unknown[] = [];
  const call = createCaller((method, path, sending) => {
    limits.push(sending?.limitMs);
    return send(method, path, sending);
  });
  await expect(send("GET", "/silent", { limitMs: 50 })).rejects.toThrow(/timeout/);
  expect([await fetchOwner(call), await fetchOwner(call)]).toEqual(["", "ann"]);
  for (let times = 0; times < 3; times += 1)
    await expect(fetchOwner(call)).rejects.toMatchObject({ name: "ApiError", status: 200 });
  expect(limits).toEqual([15_000, 15_000, 15_000, 15_000, 15_000]);
});

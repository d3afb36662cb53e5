import { expect, onTestFinished, test, vi } from "vitest";
import { listFormerOwners } from "../../../src/server/web/chat/storage/former-owners.ts";
import type { KeptDatabase, KeptText } from "../../../src/server/web/chat/storage/kept-text.ts";
import {
  createKeptTexts,
  type KeptTextsOptions,
  limitTexts,
  toDraftKey,
} from "../../../src/server/web/chat/storage/kept-texts.ts";

const day = 24 * 3_600_000;

function write(more: Partial<KeptText>): KeptText {
  const at = Date.now();
  const key = `${more.tab} ${more.text}`;
  return { key, kind: "draft", tab: "a", owner: "", at, conversationId: undefined, text: "", files: [], ...more };
}

function openDatabase(
  texts: readonly KeptText[],
  hasRoom: (written: readonly KeptText[]) => boolean = () => true,
): KeptDatabase & { all(): KeptText[] } {
  const kept = new Map(texts.map((text) => [text.key, text]));
  return {
    all: () => [...kept.values()],
    list: async () => [...kept.values()],
    async change(written, removed) {
      if (!hasRoom(written)) return false;
      for (const key of removed) kept.delete(key);
      for (const text of written) kept.set(text.key, text);
      return true;
    },
  };
}

const openTexts = (
  database: KeptDatabase,
  owner: string,
  open: readonly string[],
  more: Partial<KeptTextsOptions> = {},
) =>
  createKeptTexts({
    database,
    tab: () => "new",
    owner: () => owner,
    onLostFiles() {},
    listOpenTabs: async () => new Set(["new", ...open]),
    ...more,
  });

test("a tab is given what closed tabs left and nothing of open ones, and of two drafts in one place it loses none", async () => {
  const [open, older, newer] = [
    write({ tab: "open", text: "being written" }),
    write({ tab: "closed", text: "older", at: Date.now() - day }),
    write({ tab: "gone", text: "newer" }),
  ];
  const database = openDatabase([open, newer, older]);
  const claimed = await openTexts(database, "", ["open"]).claim();
  expect(claimed).toMatchObject([
    { kind: "unsent", tab: "new", text: "older" },
    { kind: "draft", tab: "new", text: "newer", key: toDraftKey("new") },
  ]);
  expect(database.all().map(({ tab, text }) => `${tab}: ${text}`)).toEqual([
    "open: being written",
    "new: newer",
    "new: older",
  ]);
});

test("nobody is given what somebody else wrote, not even what waits on the server", async () => {
  const database = openDatabase([
    write({ owner: "person ann", tab: "closed", text: "hers" }),
    write({ owner: "person ann", tab: "closed", kind: "queued", text: "hers, too", conversationId: "c" }),
  ]);
  expect(await openTexts(database, "person bob", []).claim()).toEqual([]);
  expect(await openTexts(database, "person ann", []).claim()).toHaveLength(2);
});

test("what a version before this one kept under the account or the token is the owner's, and under its new name from then on", async () => {
  const file = { name: "file", media_type: "text/plain", data: "x" };
  const ann = listFormerOwners("Ann", undefined);
  const database = openDatabase([
    write({ owner: "person Ann", tab: "former", text: "hers", key: toDraftKey("former") }),
    write({
      ...{ owner: "person Ann", tab: "new", text: "waits", kind: "queued", conversationId: "c", files: [file] },
      at: Date.now() - day,
    }),
    write({ owner: "person Bob", tab: "former", text: "his" }),
    write({ owner: "", tab: "former", text: "the operator's" }),
    write({ owner: "token 1", tab: "former", text: "somebody's" }),
  ]);
  const listFormerNames = () => ({ tabs: ["former"], owners: ann });
  const claimed = await openTexts(database, "issuer#ann", ["former"], { listFormerNames }).claim();
  expect(claimed.map(({ text }) => text)).toEqual(["waits", "hers"]);
  const mine = database.all().filter(({ owner }) => owner === "issuer#ann");
  expect(mine).toMatchObject([
    { text: "hers", key: toDraftKey("new") },
    { text: "waits", tab: "new", files: [file] },
  ]);
  expect(database.all()).toHaveLength(5);
  expect(listFormerOwners(undefined, "secret")).toEqual(["token 1719429393"]);
  expect(listFormerOwners(undefined, undefined)).toEqual([]);
});

test("a file that the browser has no room for takes no other text with it, leaves its words, and is told of once", async () => {
  const large = { name: "large", media_type: "text/plain", data: "x" };
  const database = openDatabase([write({ key: "gone", tab: "new", text: "sent" })], (all) =>
    all.every(({ files }) => !files.includes(large)),
  );
  const told: string[] = [];
  const texts = openTexts(database, "", [], { onLostFiles: () => void told.push("lost") });
  await texts.claim();
  texts.remove("gone");
  const text = { kind: "draft", conversationId: undefined, files: [] } as const;
  texts.put({ ...text, key: "a", text: "before" });
  texts.put({ ...text, key: "b", text: "with a file", files: [large] });
  texts.put({ ...text, key: "c", text: "with one, too", files: [large] });
  texts.put({ ...text, key: "a", text: "newer" });
  texts.flush();
  const all = () => database.all().map((each) => `${each.text}${each.files.length}`);
  await expect.poll(() => all().sort()).toEqual(["newer0", "with a file0", "with one, too0"]);
  expect(told).toEqual(["lost"]);
});

test("what is written before it is known who is signed in overwrites nothing, and is kept for whoever that is", async () => {
  let owner = "";
  const key = toDraftKey("new");
  const database = openDatabase([write({ key, owner: "person ann", tab: "new", text: "kept" })]);
  const texts = openTexts(database, "", [], { owner: () => owner });
  texts.put({ key, kind: "draft", conversationId: undefined, text: "early", files: [] });
  texts.flush();
  owner = "person ann";
  expect(await texts.claim()).toMatchObject([{ text: "kept" }]);
  texts.flush();
  expect(database.all()).toMatchObject([{ text: "early", owner: "person ann" }]);
});

test("what is too old, and the oldest of what is too much, is let go", () => {
  const now = Date.now();
  const file = { name: "a", media_type: "text/plain", data: "x".repeat(25_000_000) };
  const large = [3, 1, 2].map((age) => write({ text: `${age}`, at: now - age, files: [file] }));
  const { kept, dropped } = limitTexts([...large, write({ text: "old", at: now - 31 * day })], now);
  expect([kept, dropped].map((texts) => texts.map(({ text }) => text))).toEqual([
    ["2", "1"],
    ["3", "old"],
  ]);
});

test("who signs out while texts are claimed leaves none, and is not held up by a database that does not answer", async () => {
  const database = openDatabase([
    write({ tab: "closed", owner: "ann", text: "older" }),
    write({ owner: "bob", text: "kept" }),
  ]);
  const listed = Promise.withResolvers<void>();
  let lists = 0;
  const slow: KeptDatabase = {
    ...database,
    list: async () => {
      lists += 1;
      const all = await database.list();
      if (lists === 1) await listed.promise;
      return all;
    },
  };
  const texts = openTexts(slow, "ann", []);
  const claimed = texts.claim();
  await texts.forget();
  listed.resolve();
  expect(await claimed).toEqual([]);
  expect(database.all()).toMatchObject([{ owner: "bob" }]);

  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const forgotten = openTexts({ ...database, list: () => new Promise(() => {}) }, "bob", []).forget();
  await vi.advanceTimersByTimeAsync(2000);
  await forgotten;
});

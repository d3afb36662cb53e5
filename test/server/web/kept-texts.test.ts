import { expect, test } from "vitest";
import type { KeptDatabase, KeptText } from "../../../src/server/web/chat/storage/kept-text.ts";
import { createKeptTexts, limitTexts, toDraftKey } from "../../../src/server/web/chat/storage/kept-texts.ts";

const day = 24 * 3_600_000;

function write(more: Partial<KeptText>): KeptText {
  const at = Date.now();
  const key = `${more.tab} ${more.text}`;
  return { key, kind: "draft", tab: "a", owner: "", at, conversationId: undefined, text: "", files: [], ...more };
}

function openDatabase(texts: readonly KeptText[]): KeptDatabase & { all(): KeptText[] } {
  const kept = new Map(texts.map((text) => [text.key, text]));
  return {
    all: () => [...kept.values()],
    list: async () => [...kept.values()],
    async change(written, removed) {
      for (const key of removed) kept.delete(key);
      for (const text of written) kept.set(text.key, text);
    },
  };
}

const openTexts = (database: KeptDatabase, owner: string, open: readonly string[]) =>
  createKeptTexts({ database, tab: "new", owner: () => owner, listOpenTabs: async () => new Set(["new", ...open]) });

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

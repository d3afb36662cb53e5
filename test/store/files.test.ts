import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { prepareImage } from "../../src/core/files/prepare-image.ts";
import type { ImagePart } from "../../src/core/messages.ts";
import type { OperatorStore, SharedStore } from "../../src/core/store/store.ts";
import { createMemoryStore } from "../../src/store/memory/memory-store.ts";
import { images } from "../fakes/images.ts";
import { edit } from "./damage.ts";
import { newRun } from "./journal-runs.ts";
import { finishedRun } from "./runs.ts";
import { openStore, storeFile } from "./stores.ts";

/** How many files the store on disk holds, whoever names them. */
type CountFiles = () => number;

const kinds: [string, () => Promise<{ store: OperatorStore; count: CountFiles | undefined }>][] = [
  ["in memory", async () => ({ store: createMemoryStore(), count: undefined })],
  [
    "on disk",
    async () => {
      const file = await storeFile();
      return { store: await openStore(file), count: () => countFiles(file) };
    },
  ],
];

function countFiles(file: string): number {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return Number(database.prepare("SELECT count(*) AS n FROM files").get()?.n);
  } finally {
    database.close();
  }
}

const made = prepareImage(images.png, "chart.png");
if ("refusal" in made) throw new Error(made.refusal.en);
const { part, bytes } = made;
const { hash } = part.image;

/** Asks about the image, and returns the conversation. */
async function askAbout(store: SharedStore, id: string, image: ImagePart = part): Promise<string> {
  const run = finishedRun(id, "What is this?", "A chart.");
  const turn = { question: "What is this?", answer: "A chart.", files: [image], images: [image] };
  await store.append({ ...run, turn, files: [{ hash: image.image.hash, bytes }] });
  return id;
}

describe.each(kinds)("the files of a store %s", (_, open) => {
  test("come back with the turn that names them, byte for byte", async () => {
    const { store } = await open();
    await askAbout(store, "one");
    await store.append(finishedRun("one", "And now?", "Nothing."));
    const turns = (await store.load("one"))?.turns;
    expect(turns?.[0]).toEqual({ question: "What is this?", answer: "A chart.", files: [part], images: [part] });
    expect(turns?.[1]).toEqual({ question: "And now?", answer: "Nothing." });
    const read = await store.readFile({ conversationId: "one", hash });
    expect(Buffer.from(read ?? [])).toEqual(Buffer.from(bytes));
  });

  test("are read by the owner alone, and only through a conversation that names them", async () => {
    const { store } = await open();
    const [anna, ben] = [store.of("anna"), store.of("ben")];
    const { id } = await anna.create();
    await askAbout(anna, id);
    const { id: other } = await anna.create();
    await anna.append(finishedRun(other, "Hello", "Hello."));
    const { id: bens } = await ben.create();
    await ben.append(finishedRun(bens, "Hello", "Hello."));
    expect(await anna.readFile({ conversationId: id, hash })).toBeDefined();
    expect(await anna.readFile({ conversationId: other, hash })).toBeUndefined();
    expect(await anna.readFile({ conversationId: id, hash: "0".repeat(64) })).toBeUndefined();
    for (const view of [ben, store])
      for (const conversationId of [id, bens]) expect(await view.readFile({ conversationId, hash })).toBeUndefined();
  });

  test("are kept once for two owners, and end with the last conversation that names them", async () => {
    const { store, count } = await open();
    const [anna, ben] = [store.of("anna"), store.of("ben")];
    const [first, second] = [(await anna.create()).id, (await anna.create()).id];
    const third = (await ben.create()).id;
    await askAbout(anna, first);
    await askAbout(anna, first);
    await askAbout(anna, second);
    await askAbout(ben, third);
    if (count) expect(count()).toBe(1);
    expect(await anna.remove(first)).toBe(true);
    expect(await anna.readFile({ conversationId: first, hash })).toBeUndefined();
    expect(await anna.readFile({ conversationId: second, hash })).toBeDefined();
    expect(await anna.remove(second)).toBe(true);
    expect(await ben.readFile({ conversationId: third, hash })).toBeDefined();
    if (count) expect(count()).toBe(1);
    expect(await ben.remove(third)).toBe(true);
    if (count) expect(count()).toBe(0);
    await askAbout(anna, (await anna.create()).id);
    if (count) expect(count()).toBe(1);
  });
});

test("what nobody has used for store.keepDays is removed with its files, and counts with their size", async () => {
  const file = await storeFile();
  const store = await openStore(file, { retention: { keepDays: 30, maxSize: 1e15 } });
  await askAbout(store, "old");
  const plain = finishedRun("plain", "What is this?", "A chart.");
  await store.append(plain);
  edit(file, "UPDATE conversations SET updated_at = '2020-01-01T00:00:00.000Z'");
  const sizes = new Map((await store.retention.listExpired()).map((entry) => [entry.id, entry.bytes]));
  expect((sizes.get("old") ?? 0) - (sizes.get("plain") ?? 0)).toBeGreaterThan(bytes.length);
  expect(await store.retention.prune()).toBe(2);
  expect(countFiles(file)).toBe(0);
});

test("a conversation with more files than one step removes is removed with all of them", async () => {
  const file = await storeFile();
  const store = await openStore(file);
  const run = finishedRun("many", "What are these?", "Charts.");
  const files = Array.from({ length: 450 }, (_, index) => ({
    hash: `${index}`.padStart(64, "0"),
    bytes: new Uint8Array(9000),
  }));
  await store.append({ ...run, files });
  expect(countFiles(file)).toBe(450);
  expect(await store.remove("many")).toBe(true);
  expect(countFiles(file)).toBe(0);
});

describe("the files of a run that goes on", () => {
  const named = { hash, bytes };

  test("are kept for it whatever becomes of other conversations, and go with its records", async () => {
    const file = await storeFile();
    const store = await openStore(file);
    await askAbout(store, "one");
    await store.journal.begin({ ...newRun("run-1"), files: [named] });
    await store.remove("one");
    expect(countFiles(file)).toBe(1);
    await store.append({ ...finishedRun("conv-run-1", "?", "Yes."), runId: "run-1" });
    expect(countFiles(file)).toBe(0);
  });

  test("stay with the conversation that names them at its end", async () => {
    const file = await storeFile();
    const store = await openStore(file);
    await store.journal.begin({ ...newRun("run-1"), files: [named] });
    const turn = { question: "What is this?", answer: "A chart.", files: [part] };
    await store.append({ ...finishedRun("conv-run-1", "?", "Yes."), runId: "run-1", turn, files: [named] });
    expect(await store.readFile({ conversationId: "conv-run-1", hash })).toBeDefined();
  });

  test.each(["its conversation is removed", "nobody goes on with it for a week"])("go when %s", async (when) => {
    const file = await storeFile();
    const store = await openStore(file);
    await store.append(finishedRun("conv-run-1", "?", "Yes."));
    await store.journal.begin({ ...newRun("run-1"), files: [named] });
    expect(countFiles(file)).toBe(1);
    if (when.startsWith("its")) await store.remove("conv-run-1");
    else {
      edit(file, "UPDATE journal_runs SET begun_at = '2020-01-01T00:00:00.000Z'");
      // A process looks for what is old once a minute.
      const other = await openStore(file);
      await other.journal.begin(newRun("run-2"));
    }
    expect(countFiles(file)).toBe(0);
  });
});

test("a column of files that is damaged costs the files alone", async () => {
  const file = await storeFile();
  const store = await openStore(file);
  onTestFinished(() => store.close());
  await askAbout(store, "one");
  edit(file, `UPDATE turns SET files = '{"files":[{"type":"image"},7],"images":"no"}'`);
  expect((await store.load("one"))?.turns).toEqual([{ question: "What is this?", answer: "A chart." }]);
  edit(file, "UPDATE turns SET files = '{'");
  expect((await store.load("one"))?.turns).toHaveLength(1);
});

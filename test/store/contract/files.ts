import { describe, expect, test } from "vitest";
import { prepareImage } from "../../../src/core/files/prepare-image.ts";
import type { ImagePart } from "../../../src/core/model/messages.ts";
import type { SharedStore } from "../../../src/core/store/store.ts";
import { images } from "../../fakes/images.ts";
import { finishedRun } from "../runs.ts";
import type { OpenTestStore } from "../stores.ts";

const made = prepareImage(images.png, "chart.png");
if ("refusal" in made) throw new Error(made.refusal.en);
export const { part, bytes } = made;
export const { hash } = part.image;

/** Asks about the image, and returns the conversation. */
export async function askAbout(store: SharedStore, id: string, image: ImagePart = part): Promise<string> {
  const run = finishedRun(id, "What is this?", "A chart.");
  const turn = { question: "What is this?", answer: "A chart.", files: [image], images: [image] };
  await store.append({ ...run, turn, files: [{ hash: image.image.hash, bytes }] });
  return id;
}

/** Counts the files that a store holds, whoever names them. */
type CountFiles = (store: SharedStore) => Promise<number>;

export function testFiles(name: string, open: OpenTestStore, countFiles?: CountFiles): void {
  describe(`the files of a store ${name}`, () => {
    test("come back with the turn that names them, byte for byte", async () => {
      const store = await open();
      await askAbout(store, "one");
      await store.append(finishedRun("one", "And now?", "Nothing."));
      const turns = (await store.load("one"))?.turns;
      expect(turns?.[0]).toEqual({ question: "What is this?", answer: "A chart.", files: [part], images: [part] });
      expect(turns?.[1]).toEqual({ question: "And now?", answer: "Nothing." });
      const read = await store.readFile({ conversationId: "one", hash });
      expect(Buffer.from(read ?? [])).toEqual(Buffer.from(bytes));
    });

    test("are read by the owner alone, and only through a conversation that names them", async () => {
      const store = await open();
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
      const store = await open();
      const count = countFiles && (() => countFiles(store));
      const [anna, ben] = [store.of("anna"), store.of("ben")];
      const [first, second] = [(await anna.create()).id, (await anna.create()).id];
      const third = (await ben.create()).id;
      await askAbout(anna, first);
      await askAbout(anna, first);
      await askAbout(anna, second);
      await askAbout(ben, third);
      if (count) expect(await count()).toBe(1);
      expect(await anna.remove(first)).toBe(true);
      expect(await anna.readFile({ conversationId: first, hash })).toBeUndefined();
      expect(await anna.readFile({ conversationId: second, hash })).toBeDefined();
      expect(await anna.remove(second)).toBe(true);
      expect(await ben.readFile({ conversationId: third, hash })).toBeDefined();
      if (count) expect(await count()).toBe(1);
      expect(await ben.remove(third)).toBe(true);
      if (count) expect(await count()).toBe(0);
      await askAbout(anna, (await anna.create()).id);
      if (count) expect(await count()).toBe(1);
    });
  });
}

import { expect, test } from "vitest";
import type { ConversationStore } from "../../../src/core/store/store.ts";
import { finishedRun } from "../runs.ts";
import type { OpenTestStore } from "../stores.ts";

async function talk(store: ConversationStore): Promise<void> {
  for (const n of [1, 2, 3]) await store.append(finishedRun("conv-a", `Question ${n}?`, "Yes."));
}

export function testSummaries(name: string, open: OpenTestStore): void {
  test(`a summary that somebody asked for takes the place of one of as many turns, and never the other way round: ${name}`, async () => {
    const store = await open();
    await talk(store);
    const summary = async () => (await store.load("conv-a"))?.summary;
    await store.summarise("conv-a", { text: "made", turns: 2 });
    expect(await summary()).toEqual({ text: "made", turns: 2 });
    await store.summarise("conv-a", { text: "wanted", turns: 2, isWanted: true });
    expect(await summary()).toEqual({ text: "wanted", turns: 2, isWanted: true });
    await store.summarise("conv-a", { text: "made again", turns: 2 });
    await store.summarise("conv-a", { text: "of less", turns: 1, isWanted: true });
    expect(await summary()).toEqual({ text: "wanted", turns: 2, isWanted: true });
    await store.summarise("conv-a", { text: "of more", turns: 3 });
    expect(await summary()).toEqual({ text: "of more", turns: 3, isWanted: true });
  });
}

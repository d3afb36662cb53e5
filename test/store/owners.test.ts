import { expect, test } from "vitest";
import { testOwners } from "./contract/owners.ts";
import { finishedRun, page } from "./runs.ts";
import { localStores, openStore, storeFile } from "./stores.ts";

for (const [name, open] of localStores) testOwners(name, open);

test("of two owners who begin one conversation at once the second has none: nothing of it is kept", async () => {
  const store = await openStore(await storeFile());
  const annas = await store.of("anna").create();
  const operators = await store.create(annas.id);
  expect(await annas.sources.number([page("https://anna.example/")])).toEqual([1]);
  expect(await operators.sources.number([page("https://operator.example/")])).toEqual([1]);
  await expect(store.append(finishedRun(operators.id, "q", "a"))).rejects.toThrow("no conversation with that ID");
  expect(await store.load(operators.id)).toBeUndefined();
  const kept = await store.of("anna").load(annas.id);
  expect([kept?.turns, kept?.sources.all().map(({ source }) => source.url)]).toEqual([[], ["https://anna.example/"]]);
});

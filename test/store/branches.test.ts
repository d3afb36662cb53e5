import { expect, test } from "vitest";
import { testBranches } from "./contract/branches.ts";
import { localStores, olderFile, openStore } from "./stores.ts";

for (const [name, open] of localStores) testBranches(name, open);

test("a conversation of an earlier version goes back to a turn too, and its turns lead to their runs", async () => {
  const store = await openStore(await olderFile(2));
  const tree = await store.branches.read("conv-old");
  expect(tree).toMatchObject({ current: 1, branches: [{ branch: 1, tip: 2 }] });
  expect(tree?.turns.map(({ runId }) => runId)).toEqual(["run-old-1", "run-old-2"]);
  // Its summary stands for the first turn, which the new branch has too.
  await store.branches.begin("conv-old", 1);
  expect(await store.load("conv-old")).toMatchObject({ turns: [{ question: "One?" }], summary: { turns: 1 } });
  await store.branches.begin("conv-old", 0);
  expect((await store.load("conv-old"))?.summary).toBeUndefined();
});

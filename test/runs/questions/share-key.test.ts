import { expect, test } from "vitest";
import type { SharedRecords } from "../../../src/core/store/shared-records.ts";
import { createConfirmations } from "../../../src/runs/questions/confirmation-tokens.ts";
import { shareKey } from "../../../src/runs/questions/share-key.ts";

const what = { id: "run-1", kind: "call", owner: "anna", shown: { tool: "send" } } as const;

/** The records of a database that cannot be reached at first. */
function openRecords(failures: number) {
  let key: string | undefined;
  return async () => {
    if (failures-- > 0) throw new Error("it is away");
    const records: Pick<SharedRecords, "add"> = {
      async add(_kind, _name, data) {
        key ??= data;
        return key;
      },
    };
    return records as SharedRecords;
  };
}

test("a process that began while the database was away signs with the key of all once it is back", async () => {
  const findRecords = openRecords(1);
  const { signal } = new AbortController();
  const [here, there] = [createConfirmations(), createConfirmations()];
  const early = here.mint(what, Date.now() + 60_000);
  await shareKey(findRecords, here, signal);
  await shareKey(findRecords, there, signal);
  expect(there.fits(here.mint(what, Date.now() + 60_000), what)).toBe(true);
  // What it had shown by then counts in its own process still.
  expect([here.fits(early, what), there.fits(early, what)]).toEqual([true, false]);
});

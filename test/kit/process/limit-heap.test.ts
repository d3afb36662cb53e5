import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const file = fileURLToPath(new URL("../../../src/kit/process/limit-heap.ts", import.meta.url));
const limit = `(await import(${JSON.stringify(file)})).limitHeap();`;

/** Lets many objects live for some time, as a busy server does. Prints the bytes of the space for new objects. */
const fillNewSpace = `
  let kept = [];
  for (let round = 0; round < 120; round++) {
    for (let index = 0; index < 20_000; index++) kept.push({ index, list: [index] });
    if (kept.length > 200_000) kept = kept.slice(-20_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { getHeapSpaceStatistics } = await import("node:v8");
  console.log(getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space").space_size);
`;

/** Lets go of objects that have lived longer than a collection of new ones. Prints the most bytes that old ones took in the second half. */
const fillOldSpace = `
  const { getHeapSpaceStatistics } = await import("node:v8");
  const runs = [];
  let most = 0;
  for (let round = 0; round < 2_400; round++) {
    runs.push(Array.from({ length: 1_000 }, (_, index) => ({ index, list: [round] })));
    if (runs.length > 300) runs.shift();
    await new Promise((resolve) => setImmediate(resolve));
    if (round < 1_200) continue;
    const old = getHeapSpaceStatistics().find(({ space_name }) => space_name === "old_space");
    most = Math.max(most, old.space_used_size);
  }
  console.log(most);
`;

async function measure(program: string): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program]);
  return Number(stdout);
}

test("the space for new objects stops growing once it has enough, where it would go on", async () => {
  const [free, limited] = await Promise.all([measure(fillNewSpace), measure(limit + fillNewSpace)]);
  expect(free).toBeGreaterThan(60_000_000);
  expect(limited).toBeLessThan(40_000_000);
});

test("objects that nobody needs any more are collected before they take several times the memory", async () => {
  const [free, limited] = await Promise.all([measure(fillOldSpace), measure(limit + fillOldSpace)]);
  expect(limited).toBeLessThan(0.75 * free);
});

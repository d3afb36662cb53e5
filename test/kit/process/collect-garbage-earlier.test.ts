import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const file = fileURLToPath(new URL("../../../src/kit/process/collect-garbage-earlier.ts", import.meta.url));
const tune = `(await import(${JSON.stringify(file)})).collectGarbageEarlier();`;

/** Lets many objects live for some time, as a busy server does. Prints the bytes of the new space. */
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

/**
 * Lets go of objects that have outlived some scavenges. Prints how many bytes old ones took at most in the last third: V8 has decided on
 * its first full collection before it is told anything, and that one may come late.
 */
const fillOldSpace = `
  const { getHeapSpaceStatistics } = await import("node:v8");
  const runs = [];
  let most = 0;
  for (let round = 0; round < 5_000; round++) {
    runs.push(Array.from({ length: 1_000 }, (_, index) => ({ index, list: [round] })));
    if (runs.length > 300) runs.shift();
    await new Promise((resolve) => setImmediate(resolve));
    if (round < 3_500) continue;
    most = Math.max(most, getHeapSpaceStatistics().find(({ space_name }) => space_name === "old_space").space_used_size);
  }
  console.log(most);
`;

async function run(program: string, ...flags: string[]): Promise<string> {
  const args = [...flags, "--input-type=module", "--eval", program];
  return (await promisify(execFile)(process.execPath, args)).stdout;
}

const measure = async (program: string): Promise<number> => Number(await run(program));

test("the new space stops growing once it has enough, where it would go on", async () => {
  const [free, tuned] = await Promise.all([measure(fillNewSpace), measure(tune + fillNewSpace)]);
  expect(free).toBeGreaterThan(60_000_000);
  expect(tuned).toBeLessThan(40_000_000);
});

test("objects that nobody needs any more are collected when they are as many as those that are needed", async () => {
  const [free, tuned] = await Promise.all([measure(fillOldSpace), measure(tune + fillOldSpace)]);
  expect(tuned).toBeLessThan(free);
});

test("the main thread scavenges alone from then on", async () => {
  const [free, tuned] = await Promise.all([countHelped(""), countHelped(tune)]);
  expect(free.last).toBeGreaterThan(0);
  expect(tuned.first).toBeGreaterThan(0);
  expect(tuned.last).toBe(0);
});

/** Counts the scavenges in which other threads helped, of the first ten and of the last ten. */
async function countHelped(begin: string): Promise<{ first: number; last: number }> {
  const trace = await run(begin + fillNewSpace, "--trace-gc-nvp");
  const times = trace.matchAll(/ gc=s .* background\.scavenge\.parallel=([\d.]+)/g).map(([, ms]) => Number(ms));
  const helped = [...times].map((ms) => ms > 0);
  const count = (some: boolean[]): number => some.filter(Boolean).length;
  return { first: count(helped.slice(0, 10)), last: count(helped.slice(-10)) };
}

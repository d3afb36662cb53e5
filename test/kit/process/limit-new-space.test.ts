import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const file = fileURLToPath(new URL("../../../src/kit/process/limit-new-space.ts", import.meta.url));

/** Lets many objects live for some time, as a busy server does. Prints the bytes of the space for new objects. */
const work = `
  let kept = [];
  for (let round = 0; round < 120; round++) {
    for (let index = 0; index < 20_000; index++) kept.push({ index, list: [index] });
    if (kept.length > 200_000) kept = kept.slice(-20_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { getHeapSpaceStatistics } = await import("node:v8");
  console.log(getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space").space_size);
`;

async function measureNewSpace(begin: string): Promise<number> {
  const args = ["--input-type=module", "--eval", `${begin}${work}`];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return Number(stdout);
}

test("the space for new objects stops growing once it has enough, where it would go on", async () => {
  const limit = `(await import(${JSON.stringify(file)})).limitNewSpace();`;
  const [free, limited] = await Promise.all([measureNewSpace(""), measureNewSpace(limit)]);
  expect(free).toBeGreaterThan(60_000_000);
  expect(limited).toBeLessThan(40_000_000);
});

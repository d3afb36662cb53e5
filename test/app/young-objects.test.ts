import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { temporaryFolder } from "../fakes/program.ts";

/**
 * Asks questions and collects the young space alone after each. A buffer that is bound to the question's stream is freed then, unless
 * something of an earlier question that only a full collection finds still leads to it: an object literal with a getter, for one, has a
 * hidden class of its own that does. Prints how many of a hundred are left.
 */
const program = `
import { createDuet } from "./src/index.ts";
const duet = await createDuet({ config: { conversations: { store: "memory" }, locale: "en" } });
const size = 100_000;
async function ask(isMarked) {
  const stream = duet.stream("2 + 3");
  if (isMarked) Object.assign(stream, { mark: new ArrayBuffer(size) });
  for await (const event of stream) void event;
}
async function askAll(count, isMarked) {
  for (let n = 0; n < count; n++) {
    await ask(isMarked);
    await new Promise((resolve) => setImmediate(resolve));
    for (let time = 0; time < 2; time++) gc({ type: "minor" });
  }
}
await askAll(50, false);
gc();
const before = process.memoryUsage().arrayBuffers;
await askAll(100, true);
await askAll(3, false);
await new Promise((resolve) => setTimeout(resolve, 50));
console.log(Math.round((process.memoryUsage().arrayBuffers - before) / size));
await duet.close();
`;

test("what a question has made is freed by a collection of the young space, without waiting for a full one", async () => {
  const flags = ["--expose-gc", "--max-semi-space-size=4", "--input-type=module", "-e", program];
  const env = { PATH: process.env.PATH, HOME: await temporaryFolder() };
  const { stdout } = await promisify(execFile)(process.execPath, flags, { env });
  expect(Number(stdout)).toBeLessThan(20);
});

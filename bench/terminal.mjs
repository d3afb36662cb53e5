// The terminal: what it costs to show an answer of 10,000 pieces in 200 x 50 cells, and whether a finished line is ever
// written again; what 500 turns of a chat leave in memory; how soon the first prompt stands. Fails above the limits. The
// parts run here on a stand-in for stdout; the built program runs in a pseudo terminal of util-linux's `script`, against a
// model in another process. Needs node --expose-gc.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = await mkdtemp(join(tmpdir(), "duet-bench-"));
const wanted = process.argv.slice(2);
const parts = {
  shown: "./terminal/shown-answers.mjs",
  streamed: "./terminal/streamed-answer.mjs",
  memory: "./terminal/turns-in-memory.mjs",
  prompt: "./terminal/first-prompts.mjs",
};
try {
  for (const [name, file] of Object.entries(parts)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const { measure } = await import(file);
    await measure(folder);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

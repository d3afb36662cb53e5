import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { SlowFirst } from "./test/slow-first.ts";

// Hundreds of processes read the same files: the tests' own and the servers that they start compile each but once.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "node_modules/.cache/compiled");

/** Folders whose tests leave nothing behind in their process, so that one process may run many files. */
const sharing = ["core", "config", "agent", "providers", "tools"].map((folder) => `test/${folder}/**/*.test.ts`);

export default defineConfig({
  test: {
    globalSetup: "test/build.ts",
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: "forks",
    // Most tests wait for processes and sockets: more of them than cores run at once.
    maxWorkers: Math.max(6, availableParallelism()),
    sequence: { sequencer: SlowFirst },
    projects: [
      {
        extends: true,
        test: { name: "sharing", include: sharing, isolate: false, globalSetup: [], sequence: { groupOrder: 0 } },
      },
      {
        extends: true,
        test: { name: "apart", include: ["test/**/*.test.ts"], exclude: sharing, sequence: { groupOrder: 1 } },
      },
    ],
  },
});

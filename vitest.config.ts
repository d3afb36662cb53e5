import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { patienceMs } from "./test/runner/patience.ts";
import { selectQuickFiles } from "./test/runner/select-files.ts";
import { SlowFirst } from "./test/slow-first.ts";

// Hundreds of processes read the same files: the tests' own and the servers that they start compile each but once.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "node_modules/.cache/compiled");

const quick = selectQuickFiles();

export default defineConfig({
  test: {
    globalSetup: ["test/build.ts", "test/runner/keep-postgres.ts"],
    setupFiles: ["test/runner/replay-properties.ts", "test/runner/real-clock.ts"],
    reporters: ["default", "test/runner/report-skips.ts"],
    // What a test waits for is an event. These limits only end a test whose event never comes, on however busy a machine.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: patienceMs } },
    pool: "forks",
    // No file leaves anything behind in its process, so that a few processes run them all; to load Duet for each took longer.
    isolate: false,
    // Garbage is collected seldom and on the main thread alone, because the tests keep all cores busy.
    execArgv: ["--min-semi-space-size=16", "--max-semi-space-size=64", "--single-threaded"],
    // Most tests wait for processes and sockets: more of them than cores run at once.
    maxWorkers: Math.max(6, availableParallelism()),
    sequence: { sequencer: SlowFirst },
    projects: [
      { extends: true, test: { name: "quick", include: quick, globalSetup: [] } },
      { extends: true, test: { name: "other", include: ["test/**/*.test.ts"], exclude: quick } },
    ],
  },
});

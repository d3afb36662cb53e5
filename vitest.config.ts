import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: "test/build.ts",
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: "forks",
    // Most tests wait for processes and sockets: more of them than cores run at once.
    maxWorkers: Math.max(4, availableParallelism()),
  },
});

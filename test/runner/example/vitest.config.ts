// A run of its own, which `report-skips.test.ts` and `replay-properties.test.ts` start.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // The cache belongs to the run around this one: its end would remove files that the other one reads.
    fsModuleCache: false,
    dir: import.meta.dirname,
    include: ["**/*.example.ts"],
    setupFiles: ["test/runner/replay-properties.ts"],
    reporters: ["default", "./test/runner/report-skips.ts"],
  },
});

import { globSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { patienceMs } from "./test/runner/patience.ts";
import { selectProgramFiles, selectQuickFiles } from "./test/runner/select-files.ts";
import { SlowFirst } from "./test/slow-first.ts";

// Hundreds of processes read the same files: the tests' own and the servers that they start compile each but once.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "node_modules/.cache/compiled");

const quick = selectQuickFiles();
/** Folders whose tests leave nothing behind in their process, so that one process may run many files. */
const folders = ["kit", "core", "render", "store", "config", "agent", "providers", "tools"].map(
  (folder) => `test/${folder}/**/*.test.ts`,
);
/** What starts the program, a terminal or a server from npm. */
const starters =
  /startProgram|runProgram|startTerminal|open-chat|openPseudoTerminal|warmProgram|npmServer|child_process/;
const withProgram = new Set(selectProgramFiles());
/** Of the interfaces and the client the files that start none of these: loading Duet for each of them costs more than they do. */
const within = globSync("test/{app,cli,client,faults,library,runs,server,spec}/**/*.test.ts").filter(
  (file) => !starters.test(readFileSync(file, "utf8")) && !withProgram.has(file.replaceAll("\\", "/")),
);
const sharing = [...folders, ...within];

export default defineConfig({
  test: {
    globalSetup: "test/build.ts",
    setupFiles: ["test/runner/replay-properties.ts"],
    reporters: ["default", "test/runner/report-skips.ts"],
    // What a test waits for is an event. These limits only end a test whose event never comes, on however busy a machine.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: patienceMs } },
    pool: "forks",
    // Most tests wait for processes and sockets: more of them than cores run at once.
    maxWorkers: Math.max(6, availableParallelism()),
    sequence: { sequencer: SlowFirst },
    projects: [
      {
        extends: true,
        test: { name: "quick", include: quick, isolate: false, globalSetup: [], sequence: { groupOrder: 0 } },
      },
      {
        extends: true,
        test: {
          name: "sharing",
          include: sharing,
          exclude: quick,
          isolate: false,
          globalSetup: [],
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: "apart",
          include: ["test/**/*.test.ts"],
          exclude: [...quick, ...sharing],
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});

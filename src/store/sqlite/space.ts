import type { StoreConnection } from "../sql/connection.ts";
import { pauseAfterStep, type StepsOptions } from "../sql/conversations/removal.ts";
import type { StoreSpace } from "../sql/retention.ts";
import { defineStatement, type Work } from "../sql/work.ts";

/** Limits the pages that one step gives back. */
const pagesPerStep = 64;

/** Holds the statements about the file itself. */
export const fileStatements = {
  storedBytes: defineStatement(`
    SELECT (page_count - freelist_count) * page_size AS bytes
    FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()`),
  /** Gives free pages back to the file system, at most so many. A file of an earlier version has none to give. */
  releaseSome: defineStatement(`PRAGMA incremental_vacuum(${pagesPerStep})`),
  freePages: defineStatement("SELECT freelist_count AS n FROM pragma_freelist_count()"),
  vacuumMode: defineStatement("SELECT auto_vacuum AS mode FROM pragma_auto_vacuum()"),
  /** This connection's own changes leave the number as it is. */
  dataVersion: defineStatement("SELECT data_version AS version FROM pragma_data_version()"),
};

/** Measures the file. The pages of what was removed are given back step by step. */
export function createFileSpace(connection: StoreConnection): StoreSpace {
  return {
    *measure() {
      return Number((yield* fileStatements.storedBytes.get())?.bytes);
    },
    async release({ signal, beforeStep }: StepsOptions) {
      for (;;) {
        await beforeStep?.();
        const began = performance.now();
        if (await connection.write(releaseSome)) return;
        await pauseAfterStep(began, signal);
      }
    },
  };
}

/** Returns true when there is nothing left to give. */
function* releaseSome(): Work<boolean> {
  // 2 is incremental (https://www.sqlite.org/pragma.html#pragma_auto_vacuum).
  const mode = Number((yield* fileStatements.vacuumMode.get())?.mode);
  if (mode !== 2 || Number((yield* fileStatements.freePages.get())?.n) === 0) return true;
  yield* fileStatements.releaseSome.all();
  return false;
}

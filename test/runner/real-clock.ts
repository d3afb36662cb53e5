import { setTimeout as realSetTimeout } from "node:timers";
import { vi } from "vitest";

// One process runs many files. Under a clock that an earlier one has left behind, no timer of this one would ever end.
if (globalThis.setTimeout !== realSetTimeout) {
  globalThis.setTimeout = realSetTimeout;
  throw new Error("a file that ran before this one in its process has left a fake clock behind");
}
if (vi.isFakeTimers()) throw new Error("a file that ran before this one in its process has not set its clock back");

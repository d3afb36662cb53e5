import { hookNotices } from "./hook-notices.ts";
import { runNotices } from "./run-notices.ts";
import { storeNotices } from "./store-notices.ts";
import { toolNotices } from "./tool-notices.ts";

/** Lists the notices about the circumstances of a run: what is kept of it, its conversation, and the tools that it lacks. */
export const noticeKinds = { ...storeNotices, ...runNotices, ...toolNotices, ...hookNotices };

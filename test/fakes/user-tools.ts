// Loads a user's modules as Node does it, without a test runner between: `node own-tools.ts`, a `Job` on stdin, a `Report` on stdout.
import { text } from "node:stream/consumers";
import type { Tool, ToolResult } from "../../src/core/tools/tool.ts";
import type { JsonObject } from "../../src/kit/json.ts";
import type { Locale } from "../../src/kit/locale.ts";
import type { DroppedTool } from "../../src/tools/collect-tools.ts";
import { findTools } from "../../src/tools/directory/find-tools.ts";
import { openModules } from "../../src/tools/directory/load-modules.ts";
import type { ModuleLimits } from "../../src/tools/modules/module-host.ts";
import { withValidation } from "../../src/tools/schema/with-validation.ts";
import { withOutputLimit } from "../../src/tools/tool-limits.ts";

export interface Job {
  directory: string;
  limits?: ModuleLimits;
  calls?: Call[];
}

export interface Call {
  tool: string;
  args: JsonObject;
  locale?: Locale;
  /** Aborts the call after this many milliseconds. */
  abortAfterMs?: number;
}

export interface Report {
  tools: Pick<Tool, "name" | "description" | "inputSchema" | "source" | "annotations">[];
  dropped: DroppedTool[];
  /** What each call gave, in their order, with what the tool said while it ran; `thrown` where it gave nothing. */
  results: (ToolResult | { thrown: string })[];
  progressed: string[];
}

const job: Job = JSON.parse(await text(process.stdin));
const progressed: string[] = [];

async function call(tools: readonly Tool[], { tool: name, args, locale = "en", abortAfterMs }: Call) {
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) return { thrown: `no tool ${name}` };
  const stop = new AbortController();
  if (abortAfterMs !== undefined) setTimeout(() => stop.abort(new Error("the caller left")), abortAfterMs);
  const context = {
    signal: stop.signal,
    locale,
    progress: (message: string) => void progressed.push(message),
    notice: () => {},
  };
  const guarded = withValidation(withOutputLimit(tool));
  return guarded.run(args, context).catch((thrown: unknown) => ({ thrown: String(thrown) }));
}

const { modules } = await findTools(job.directory);
const { loaded, close } = await openModules(job.directory, modules, { limits: job.limits, warn: () => {} });
const { tools, dropped } = await loaded;
const results = [];
for (const each of job.calls ?? []) results.push(await call(tools, each));
await close();
const report: Report = { tools, dropped, results, progressed };
process.stdout.write(JSON.stringify(report), () => process.exit(0));

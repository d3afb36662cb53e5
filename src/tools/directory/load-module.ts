import { join } from "node:path";
import { createFailure, type Tool } from "../../core/tools/tool.ts";
import type { Semaphore } from "../../kit/async/semaphore.ts";
import { timeoutError } from "../../kit/async/timeout.ts";
import { DuetError, toDuetError } from "../../kit/errors.ts";
import { say, type Text } from "../../kit/locale.ts";
import { defineTool } from "../define-tool.ts";
import type { ToolFacts, ToolReport } from "../modules/messages.ts";
import { createModuleHost, type ModuleHost, type ModuleLimits } from "../modules/module-host.ts";
import { fileRefusedError, toFileError } from "./broken-tools.ts";

/** One tool of a module, or why it cannot be used; `where` names its file and, in a list, its place. */
export type Loading = { where: string } & ({ tool: Tool } | { error: DuetError });

export interface LoadModuleOptions {
  limits: ModuleLimits;
  /** Folders, as URLs that end in `/`, whose modules may import `duet-mcp` and `zod`. */
  lendTo: readonly string[];
  warn: (line: Text) => void;
  /** Places for threads that start: many at once would keep each other from starting in time. */
  starts: Semaphore;
}

/** A module in a thread of its own. */
export interface OpenedModule {
  /** What it exports, each tool inside its limits. Never rejects. */
  loadings: Promise<Loading[]>;
  close(): Promise<void>;
}

export function openModule(directory: string, file: string, options: LoadModuleOptions): OpenedModule {
  const { limits, starts, ...more } = options;
  const host = createModuleHost<"tools">({ kind: "tools", path: join(directory, file), file, limits, ...more });

  async function start(): Promise<ToolReport[]> {
    await starts.acquire(new AbortController().signal);
    const started = Promise.withResolvers<void>();
    const loading = host.load(started.resolve);
    await Promise.race([started.promise, loading]).finally(() => starts.release());
    return loading;
  }

  async function load(): Promise<Loading[]> {
    try {
      const reports = await start();
      return await Promise.all(reports.map((report) => readReport(report, host, limits)));
    } catch (thrown) {
      const { text } = toDuetError(thrown);
      return [{ where: file, error: fileRefusedError(file, text, thrown) }];
    }
  }

  return { loadings: load(), close: host.close };
}

async function readReport(report: ToolReport, host: ModuleHost<"tools">, limits: ModuleLimits): Promise<Loading> {
  const { where } = report;
  if ("refused" in report) return { where, error: new DuetError({ code: "config", text: report.refused }) };
  const { compileSchema } = await import("../schema/compile-schema.ts");
  try {
    compileSchema(report.tool.inputSchema);
  } catch (thrown) {
    const { text } = toDuetError(thrown);
    return { where, error: toFileError(where, fileRefusedError(where, text, thrown)) };
  }
  return { where, tool: createModuleTool(report.tool, host, limits) };
}

/** Only the end of the caller's signal is thrown; all else is a failed result. */
function createModuleTool(facts: ToolFacts, host: ModuleHost<"tools">, { callMs }: ModuleLimits): Tool {
  const { name } = facts;
  const tool = defineTool({
    ...facts,
    source: "user",
    async run(args, { signal, locale, progress }) {
      try {
        const options = { signal, label: name, lateError: () => timeoutError(name, callMs), onProgress: progress };
        return await host.call({ tool: name, args, locale }, options);
      } catch (thrown) {
        signal.throwIfAborted();
        if (!(thrown instanceof DuetError)) return createFailure("tool", thrown instanceof Error ? thrown.message : "");
        return createFailure(thrown.code, say(locale, thrown.text));
      }
    },
  });
  return { ...tool, callLimits: { timeoutMs: callMs } };
}

import { realpath } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { createFailure, type Tool } from "../../core/tools/tool.ts";
import { createSemaphore, type Semaphore } from "../../kit/async/semaphore.ts";
import { timeoutError } from "../../kit/async/timeout.ts";
import { DuetError, toDuetError } from "../../kit/errors.ts";
import { say, type Text } from "../../kit/locale.ts";
import { createTool } from "../create-tool.ts";
import type { ToolFacts, ToolReport } from "../modules/messages.ts";
import { createModuleHost, type ModuleHost, type ModuleLimits } from "../modules/module-host.ts";
import { fileRefusedError, type LoadedTools, toDroppedTool, toFileError } from "./broken-tools.ts";

export interface OpenedModules {
  /**
   * Resolves to the modules' tools, in the order of the files. A module that cannot be used or whose name is taken is left out
   * and reported. Never rejects.
   */
  loaded: Promise<LoadedTools>;
  /** Ends their threads, also of those that still load. */
  close(): Promise<void>;
}

export interface ModulesOptions {
  limits?: ModuleLimits | undefined;
  /** Is called for a module that ends while nobody waits for it, and of output that is left out. */
  warn: (line: Text) => void;
}

/** A module has ten seconds to load, and a call has one minute. */
const usualLimits: ModuleLimits = { loadMs: 10_000, callMs: 60_000 };

/** Starts a thread for each of them, side by side. */
export async function openModules(
  directory: string,
  files: readonly string[],
  { limits = usualLimits, warn }: ModulesOptions,
): Promise<OpenedModules> {
  const paths = await Promise.all(files.map((file) => realpath(join(directory, file)).catch(() => directory)));
  const lendTo = [...new Set(paths.map((path) => pathToFileURL(`${dirname(path)}/`).href))];
  const starts = createSemaphore(availableParallelism());
  const modules = files.map((file) => openModule(directory, file, { limits, lendTo, warn, starts }));
  return {
    loaded: Promise.all(modules.map(({ loadings }) => loadings)).then((loadings) => selectFirst(loadings.flat())),
    async close() {
      await Promise.all(modules.map((module) => module.close()));
    },
  };
}

function selectFirst(loadings: readonly ModuleEntry[]): LoadedTools {
  const places = new Map<string, string>();
  const loaded: LoadedTools = { tools: [], dropped: [] };
  for (const loading of loadings) {
    const { where } = loading;
    if ("error" in loading) {
      loaded.dropped.push(toDroppedTool(where, "user", loading.error));
      continue;
    }
    const { name } = loading.tool;
    const first = places.get(name);
    if (first === undefined) loaded.tools.push(loading.tool);
    else loaded.dropped.push(toDroppedTool(where, "user", fileRefusedError(where, describeTaken(name, first))));
    places.set(name, first ?? where);
  }
  return loaded;
}

function describeTaken(name: string, first: string) {
  return {
    zh: `名称 ${name} 已被 ${first} 使用`,
    en: `the name ${name} is already used by ${first}`,
  };
}

/** Holds one tool of a module, or why it cannot be used. `where` names its file and, in a list, its position. */
type ModuleEntry = { where: string } & ({ tool: Tool } | { error: DuetError });

export interface LoadModuleOptions {
  limits: ModuleLimits;
  /** Lists folders whose modules may import `duet-mcp` and `zod`, as URLs that end in `/`. */
  lendTo: readonly string[];
  warn: (line: Text) => void;
  /** Limits how many threads start at once, because many would keep each other from starting in time. */
  starts: Semaphore;
}

/** Represents a module in a thread of its own. */
export interface OpenedModule {
  /** Resolves to the module's exports. Each tool is wrapped in its limits. Never rejects. */
  loadings: Promise<ModuleEntry[]>;
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

  async function load(): Promise<ModuleEntry[]> {
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

async function readReport(report: ToolReport, host: ModuleHost<"tools">, limits: ModuleLimits): Promise<ModuleEntry> {
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

/** Throws only when the caller's signal aborts. Every other error becomes a failed result. */
function createModuleTool(facts: ToolFacts, host: ModuleHost<"tools">, { callMs }: ModuleLimits): Tool {
  const { name } = facts;
  const tool = createTool({
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

import { readdir } from "node:fs/promises";
import type { Config } from "../../config/config.ts";
import { configError } from "../../config/config-errors.ts";
import type { Tool } from "../../core/tools/tool.ts";
import { createOnce } from "../../kit/async/once.ts";
import type { Text } from "../../kit/locale.ts";
import type { DroppedTool } from "../../tools/collect-tools.ts";

export interface UserTools {
  /** Loads them at the first call. Never rejects. */
  take(): Promise<LoadedTools>;
  /** Ends what they have started, at once. */
  close(): Promise<void>;
}

export function openUserTools(
  { tools: { directory }, environment, locale }: Config,
  warn: (line: Text) => void,
): UserTools {
  const open: Part[] = [];
  let isClosed = false;
  /** Keeps a part once it has loaded. Closing does not wait for it; a part that loads later is closed at once. */
  async function keepPart(opening: Promise<Part>): Promise<LoadedTools> {
    const part = await opening;
    if (isClosed) void part.close();
    else open.push(part);
    return part.loaded;
  }
  const loaded = createOnce(async () => {
    if (directory === undefined) return { tools: [], dropped: [] };
    const { findTools } = await import("../../tools/directory/find-tools.ts");
    const { modules, skills, dropped } = await findTools(directory);
    const parts = await Promise.all([
      ...(modules.length > 0 ? [keepPart(openModules(directory, modules, warn))] : []),
      ...(skills.length > 0 ? [keepPart(loadSkills(directory, skills, { environment, locale }))] : []),
    ]);
    const all = [...dropped, ...parts.flatMap((part) => part.dropped)];
    return { tools: parts.flatMap(({ tools }) => tools), dropped: all };
  });
  return {
    take: loaded.get,
    async close() {
      isClosed = true;
      await Promise.all(open.map((part) => part.close()));
    },
  };
}

/** Is true when a tool, or a file that failed to become one, comes from the user's own directory. */
export function isUserTool({ source }: { source: string }): boolean {
  return source === "user" || source === "skills";
}

/** Returns the user's tools that no rule has removed, but that are not available all the same. */
export function findMissingTools(dropped: readonly DroppedTool[]): DroppedTool[] {
  return dropped.filter((tool) => isUserTool(tool) && (tool.reason === "broken" || tool.reason === "duplicate"));
}

interface LoadedTools {
  tools: Tool[];
  dropped: DroppedTool[];
}

/** Holds tools that may still be loading, and what they keep open. */
interface Part {
  loaded: Promise<LoadedTools>;
  close(): void | Promise<void>;
}

/** Throws a `config` error of one line when the directory that somebody named cannot be read; the usual one may be missing. */
export async function checkToolsDirectory({ directory, directoryIsNamed }: Config["tools"]): Promise<void> {
  if (directory === undefined || !directoryIsNamed) return;
  try {
    await readdir(directory);
  } catch (thrown) {
    const { describeUnreadable } = await import("../../tools/directory/find-tools.ts");
    throw configError(`tools.directory: ${directory}`, describeUnreadable(thrown), thrown);
  }
}

async function openModules(directory: string, files: readonly string[], warn: (line: Text) => void): Promise<Part> {
  const { openModules: open } = await import("../../tools/directory/load-modules.ts");
  return open(directory, files, { warn });
}

async function loadSkills(
  directory: string,
  folders: readonly string[],
  options: Pick<Config, "environment" | "locale">,
): Promise<Part> {
  const { loadSkills: load } = await import("../../tools/skills/load-skills.ts");
  const { close, ...loaded } = await load(directory, folders, options);
  return { loaded: Promise.resolve(loaded), close };
}

import { readdir } from "node:fs/promises";
import { problem } from "../config/problem.ts";
import type { Config } from "../config.ts";
import type { Tool } from "../core/tool.ts";
import type { DroppedTool } from "../tools/collect.ts";
import { once } from "./once.ts";

/** The tools and skills that the user keeps in a directory. */
export interface OwnTools {
  /** Loads them at the first call. Never rejects. */
  take(): Promise<{ tools: Tool[]; dropped: DroppedTool[] }>;
  /** Ends what they have started, at once. */
  close(): void;
}

export function openOwnTools({ tools: { directory }, environment, locale }: Config): OwnTools {
  const open: Part[] = [];
  let isClosed = false;
  /** Who closes does not wait for what still loads. */
  async function keep(loading: Promise<Part>): Promise<Part> {
    const part = await loading;
    if (isClosed) part.close();
    else open.push(part);
    return part;
  }
  const loaded = once(async () => {
    if (directory === undefined) return { tools: [], dropped: [] };
    const { findTools } = await import("../tools/directory/find-tools.ts");
    const { modules, skills, dropped } = await findTools(directory);
    const parts = await Promise.all([
      ...(modules.length > 0 ? [keep(loadModules(directory, modules))] : []),
      ...(skills.length > 0 ? [keep(loadSkills(directory, skills, { environment, locale }))] : []),
    ]);
    const all = [...dropped, ...parts.flatMap((part) => part.dropped)];
    return { tools: parts.flatMap(({ tools }) => tools), dropped: all };
  });
  return {
    take: loaded.get,
    close() {
      isClosed = true;
      for (const part of open) part.close();
    },
  };
}

/** Whether a tool, or what is none, comes from the user's own directory. */
export function isOwn({ source }: { source: string }): boolean {
  return source === "user" || source === "skills";
}

/** What the user has written and no rule has taken away, and is not on offer all the same. */
export function lostTools(dropped: readonly DroppedTool[]): DroppedTool[] {
  return dropped.filter((tool) => isOwn(tool) && (tool.reason === "broken" || tool.reason === "duplicate"));
}

/** Tools and what they hold open. */
interface Part {
  tools: Tool[];
  dropped: DroppedTool[];
  close(): void;
}

/** Throws a `config` error of one line when the directory that somebody named cannot be read; the usual one may be missing. */
export async function checkToolsDirectory({ directory, directoryIsNamed }: Config["tools"]): Promise<void> {
  if (directory === undefined || !directoryIsNamed) return;
  try {
    await readdir(directory);
  } catch (thrown) {
    const { unreadable } = await import("../tools/directory/find-tools.ts");
    throw problem(`tools.directory: ${directory}`, unreadable(thrown), thrown);
  }
}

async function loadModules(directory: string, files: readonly string[]): Promise<Part> {
  const { loadModules: load } = await import("../tools/directory/load-modules.ts");
  return load(directory, files);
}

async function loadSkills(
  directory: string,
  folders: readonly string[],
  options: Pick<Config, "environment" | "locale">,
): Promise<Part> {
  const { loadSkills: load } = await import("../tools/skills/load-skills.ts");
  return load(directory, folders, options);
}

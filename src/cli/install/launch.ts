import { posix, win32 } from "node:path";
import type { Environment } from "../../config/sources/expand-variables.ts";

/** Holds the command with which a host starts the server. */
export interface Launch {
  command: string;
  args: string[];
}

/** Describes the running program. All paths are absolute. */
export interface Program extends Pick<Machine, "platform"> {
  node: string;
  /** Is the path of the built program. */
  file: string;
  version: string;
  /** Is the path of npx beside node or on PATH; on Windows, that of its script. */
  npx: string | undefined;
}

/**
 * Returns the command for `duet serve` with these arguments. A program that npx fetched is started through npx again, because
 * npx's cache may be emptied.
 */
export function toLaunch(program: Program, words: readonly string[]): Launch {
  const serve = ["serve", ...words];
  if (!isFetched(program)) return { command: program.node, args: [program.file, ...serve] };
  const fetched = ["-y", `duet-mcp@${program.version}`, ...serve];
  if (program.platform !== "win32") return { command: program.npx ?? "npx", args: fetched };
  // There npx is a batch file, which only a shell starts.
  if (program.npx === undefined) return { command: "cmd", args: ["/c", "npx", ...fetched] };
  return { command: program.node, args: [program.npx, ...fetched] };
}

/** Returns true when npx, pnpm dlx or bunx has fetched the program for this one run. */
export function isFetched({ file }: Pick<Program, "file">): boolean {
  return /[\\/](_npx|dlx|dlx-[^\\/]*|bunx-[^\\/]*)[\\/]/.test(file);
}

/** Lists possible paths of npx, the likeliest first: beside node, then on PATH. */
export function listNpxPaths({ platform, environment }: Machine, folderOfNode: string): string[] {
  const on = { platform };
  if (platform === "win32") return [joinPath(on, folderOfNode, "node_modules", "npm", "bin", "npx-cli.js")];
  const folders = (environment.PATH ?? "").split(":").filter((folder) => folder.startsWith("/"));
  return [folderOfNode, ...folders].map((folder) => joinPath(on, folder, "npx"));
}

/**
 * Returns a path of this node that survives its updates: Homebrew keeps each version in a folder of its own, with a link to the
 * one in use. Returns undefined when the given path is as good as any.
 */
export function findStableNodePath(node: string): string | undefined {
  const [, prefix, formula] = /^(.*)\/Cellar\/(node(?:@\d+)?)\/[^/]+\/bin\/node$/.exec(node) ?? [];
  return prefix === undefined ? undefined : `${prefix}/opt/${formula}/bin/node`;
}

/** Describes the machine as far as the locations of hosts' files depend on it. */
export interface Machine {
  platform: NodeJS.Platform;
  home: string;
  environment: Environment;
  /** Holds the working directory of the command: a project's folder. */
  directory: string;
  /** Lists the folder names of packaged (MSIX) programs on Windows; empty elsewhere. */
  packages: readonly string[];
}

/** Joins the parts of a path as that platform does, wherever this runs. */
export function joinPath({ platform }: Pick<Machine, "platform">, ...parts: string[]): string {
  return (platform === "win32" ? win32 : posix).join(...parts);
}

/** Returns the folder in which desktop programs keep the user's settings. */
export function getSettingsFolder(machine: Machine): string {
  const { platform, home, environment } = machine;
  if (platform === "darwin") return joinPath(machine, home, "Library", "Application Support");
  if (platform === "win32") return environment.APPDATA || joinPath(machine, home, "AppData", "Roaming");
  const { XDG_CONFIG_HOME: base } = environment;
  return base && posix.isAbsolute(base) ? base : joinPath(machine, home, ".config");
}

/**
 * Finds the settings folders of packaged programs: Windows shows such a program its own folder instead of the one that all
 * others see.
 */
export function findPackagedFolders(machine: Machine, program: RegExp): string[] {
  const { home, environment, packages } = machine;
  const local = environment.LOCALAPPDATA || joinPath(machine, home, "AppData", "Local");
  const names = packages.filter((name) => program.test(name));
  return names.map((name) => joinPath(machine, local, "Packages", name, "LocalCache", "Roaming"));
}

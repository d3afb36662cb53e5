import { posix, win32 } from "node:path";
import type { Environment } from "../../config/sources/expand-variables.ts";

/** How a host starts the server. */
export interface Launch {
  command: string;
  args: string[];
}

/** The program that runs now. All paths are absolute. */
export interface Program extends Pick<Machine, "platform"> {
  node: string;
  /** The built program. */
  file: string;
  version: string;
  /** npx as it lies beside node or on the path; the script of it on Windows. */
  npx: string | undefined;
}

/** The command of `duet serve` with these words. What npx has fetched lies in a cache that is emptied, so npx is asked again. */
export function toLaunch(program: Program, words: readonly string[]): Launch {
  const serve = ["serve", ...words];
  if (!isFetched(program)) return { command: program.node, args: [program.file, ...serve] };
  const fetched = ["-y", `duet-mcp@${program.version}`, ...serve];
  if (program.platform !== "win32") return { command: program.npx ?? "npx", args: fetched };
  // There npx is a batch file, which only a shell starts.
  if (program.npx === undefined) return { command: "cmd", args: ["/c", "npx", ...fetched] };
  return { command: program.node, args: [program.npx, ...fetched] };
}

/** Whether npx, pnpm dlx or bunx has fetched it for this one run. */
export function isFetched({ file }: Pick<Program, "file">): boolean {
  return /[\\/](_npx|dlx|dlx-[^\\/]*|bunx-[^\\/]*)[\\/]/.test(file);
}

/** Where npx may lie, the likeliest first: beside node, or on the path. */
export function listNpxPaths({ platform, environment }: Machine, folderOfNode: string): string[] {
  const on = { platform };
  if (platform === "win32") return [joinPath(on, folderOfNode, "node_modules", "npm", "bin", "npx-cli.js")];
  const folders = (environment.PATH ?? "").split(":").filter((folder) => folder.startsWith("/"));
  return [folderOfNode, ...folders].map((folder) => joinPath(on, folder, "npx"));
}

/**
 * The path under which this node stays when it is brought up to date: Homebrew keeps each version in a folder of its own
 * and a link to the one in use. Undefined where the path is as good as any.
 */
export function findStableNodePath(node: string): string | undefined {
  const [, prefix, formula] = /^(.*)\/Cellar\/(node(?:@\d+)?)\/[^/]+\/bin\/node$/.exec(node) ?? [];
  return prefix === undefined ? undefined : `${prefix}/opt/${formula}/bin/node`;
}

/** The machine on which a host is looked for, as far as the places of its files depend on it. */
export interface Machine {
  platform: NodeJS.Platform;
  home: string;
  environment: Environment;
  /** Where the command was given: a project's folder. */
  directory: string;
  /** Names of the folders of packaged (MSIX) programs on Windows; none elsewhere. */
  packages: readonly string[];
}

/** Joins the parts of a path as that platform does, wherever this runs. */
export function joinPath({ platform }: Pick<Machine, "platform">, ...parts: string[]): string {
  return (platform === "win32" ? win32 : posix).join(...parts);
}

/** Where desktop programs keep the user's settings. */
export function getSettingsFolder(machine: Machine): string {
  const { platform, home, environment } = machine;
  if (platform === "darwin") return joinPath(machine, home, "Library", "Application Support");
  if (platform === "win32") return environment.APPDATA || joinPath(machine, home, "AppData", "Roaming");
  const { XDG_CONFIG_HOME: base } = environment;
  return base && posix.isAbsolute(base) ? base : joinPath(machine, home, ".config");
}

/** The settings folders of packaged programs: Windows shows such a program its own in place of the one that all others see. */
export function findPackagedFolders(machine: Machine, program: RegExp): string[] {
  const { home, environment, packages } = machine;
  const local = environment.LOCALAPPDATA || joinPath(machine, home, "AppData", "Local");
  const names = packages.filter((name) => program.test(name));
  return names.map((name) => joinPath(machine, local, "Packages", name, "LocalCache", "Roaming"));
}

import { realpath } from "node:fs/promises";
import { dirname } from "node:path";
import { isExistingFile } from "../../config/sources/find-file.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { version } from "../../kit/version.ts";
import { joinPath, type Machine } from "./machine.ts";

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
 * Returns the command for `duet serve`, or for the named one, with these arguments. A program that npx fetched is started through npx again, because
 * npx's cache may be emptied.
 */
export function toLaunch(program: Program, words: readonly string[], command: "serve" | "acp" = "serve"): Launch {
  const serve = [command, ...words];
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

/** Finds the running program by paths that stay valid for later starts. */
export async function findProgram(machine: Machine, node: string, file: string): Promise<Program> {
  const lasting = findStableNodePath(node);
  const isSame = lasting !== undefined && (await resolveRealPath(lasting)) === (await resolveRealPath(node));
  return {
    platform: machine.platform,
    node: isSame ? lasting : node,
    file: (await resolveRealPath(file)) ?? file,
    version,
    npx: await findFirstExisting(listNpxPaths(machine, dirname(node))),
  };
}

async function findFirstExisting(files: readonly string[]): Promise<string | undefined> {
  for (const file of files) if (await isExistingFile(file)) return file;
  return undefined;
}

async function resolveRealPath(file: string): Promise<string | undefined> {
  return ignoreRejection(realpath(file), "a path that does not exist is not found");
}

import { realpath } from "node:fs/promises";
import { dirname } from "node:path";
import { isExistingFile } from "../../config/sources/find-file.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { version } from "../../kit/version.ts";
import { findStableNodePath, listNpxPaths, type Program } from "./launch.ts";
import type { Machine } from "./machine.ts";

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

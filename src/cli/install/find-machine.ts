import { readdir } from "node:fs/promises";
import { getProgramPaths } from "../../config/load-config.ts";
import type { Environment } from "../../config/sources/expand-variables.ts";
import { joinPath, type Machine } from "./machine.ts";

/** Holds the known facts about the machine; absent ones are taken from the process. */
export interface Here {
  platform: NodeJS.Platform;
  environment?: Environment;
  directory?: string;
}

export async function findMachine({ platform, environment, directory }: Here): Promise<Machine> {
  const machine = { platform, ...getProgramPaths(environment, directory), packages: [] };
  if (platform !== "win32") return machine;
  const local = machine.environment.LOCALAPPDATA || joinPath(machine, machine.home, "AppData", "Local");
  return { ...machine, packages: await readdir(joinPath(machine, local, "Packages")).catch(() => []) };
}

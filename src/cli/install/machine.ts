import { readdir } from "node:fs/promises";
import { posix, win32 } from "node:path";
import type { Environment } from "../../config/sources/expand-variables.ts";

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
  return getDotConfigFolder(machine);
}

/** Returns the folder in which programs of the terminal keep the user's settings; some use it on macOS and Windows too. */
export function getDotConfigFolder(machine: Machine): string {
  const { XDG_CONFIG_HOME: base } = machine.environment;
  return base && posix.isAbsolute(base) ? base : joinPath(machine, machine.home, ".config");
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

/** Adds what the file system says about the machine: the packaged programs, on Windows alone. */
export async function findMachine(known: Omit<Machine, "packages">): Promise<Machine> {
  const machine = { ...known, packages: [] };
  if (known.platform !== "win32") return machine;
  const local = machine.environment.LOCALAPPDATA || joinPath(machine, machine.home, "AppData", "Local");
  return { ...machine, packages: await readdir(joinPath(machine, local, "Packages")).catch(() => []) };
}

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestOptions } from "vitest";

/** Why a test was skipped, and what makes it run. */
export interface Missing {
  /** One word, by which `.ci/run` tells the requirements apart. */
  readonly what: string;
  readonly reason: string;
  readonly remedy: string;
}

/** Something that a test needs and that not every machine has. */
export interface Requirement extends Missing {
  readonly isMet: boolean;
}

declare module "vitest" {
  interface TaskMeta {
    missing?: Missing;
  }
}

/**
 * Options of a test, or of a group of tests, that is skipped where the requirement is not met. The last lines of the run name
 * the reason and the remedy (`report-skips.ts`), so there is no other way to skip a test in this repository.
 */
export function requires({ isMet, ...missing }: Requirement): TestOptions {
  return isMet ? {} : { skip: true, meta: { missing } };
}

const chromiumPath = process.env.DUET_CHROMIUM ?? "/usr/bin/chromium";

export const chromium: Requirement & { readonly path: string } = {
  what: "chromium",
  path: chromiumPath,
  isMet: existsSync(chromiumPath),
  reason: `there is no Chromium at ${chromiumPath}`,
  remedy: "install it (apt-get install chromium), or name another in DUET_CHROMIUM",
};

export const unix: Requirement = {
  what: "unix",
  isMet: process.platform !== "win32",
  reason: "Windows has no signals, named pipes or file modes",
  remedy: "run them on Linux or macOS",
};

export const linux: Requirement = {
  what: "linux",
  isMet: process.platform === "linux",
  reason: "they look into /proc or /dev of Linux",
  remedy: "run them on Linux",
};

export const ordinaryUser: Requirement = {
  what: "ordinary-user",
  isMet: process.getuid?.() !== 0,
  reason: "root may open every folder",
  remedy: "run them as an ordinary user",
};

/** Finds out by starting it. */
export function mayRunPython(): Requirement & { readonly command: string } {
  const command = "python3";
  return {
    what: "python",
    command,
    isMet: spawnSync(command, ["--version"], { stdio: "ignore" }).status === 0,
    reason: `there is no ${command}`,
    remedy: "install Python 3",
  };
}

/** Finds out by mounting a small disk and unmounting it again. */
export function mayMountDisks(): Requirement {
  return {
    what: "mount",
    isMet: canMount(),
    reason: "this user may not mount a disk",
    remedy: "run them as root on Linux, or under `unshare --map-root-user --mount`",
  };
}

/** A folder of recordings that is not in the repository, named by a variable of the environment. */
export function folderNamedBy(variable: string, content: string): Requirement {
  const folder = process.env[variable];
  return {
    what: variable,
    isMet: folder !== undefined && existsSync(folder),
    reason: folder === undefined ? `${variable} names no folder of ${content}` : `${variable}: ${folder} is not there`,
    remedy: `set ${variable} to a folder of ${content}`,
  };
}

function canMount(): boolean {
  if (process.platform !== "linux") return false;
  const folder = mkdtempSync(join(tmpdir(), "duet-mount-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "none", folder], { stdio: "ignore" });
    execFileSync("umount", ["-l", folder], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  } finally {
    rmdirSync(folder);
  }
}

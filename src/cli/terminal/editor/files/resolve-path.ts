import { resolve } from "node:path";

/** Where paths that somebody types begin. */
export interface Folders {
  /** The working directory. */
  readonly cwd: string;
  /** What `~` stands for. */
  readonly home: string;
}

/** The whole path. */
export function resolvePath(path: string, { cwd, home }: Folders): string {
  return path === "~" || path.startsWith("~/") ? resolve(home, `.${path.slice(1)}`) : resolve(cwd, path);
}

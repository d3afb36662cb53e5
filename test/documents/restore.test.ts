import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../fakes/program.ts";
import { requires, unix } from "../runner/requirements.ts";

describe("what docs/backup.md has somebody type to restore a copy", requires(unix), () => {
  test.each(["docs/backup.md", "docs/backup.zh.md"])(
    "works on a machine without any folder of Duet's: %s",
    async (page) => {
      const [, commands = ""] =
        /```sh parsed\n( *mkdir [\s\S]*?)```\n/.exec(restorePart(await readFile(page, "utf8"))) ?? [];
      const [home, cwd] = [await temporaryFolder(), await temporaryFolder()];
      for (const folder of ["pins", "config"]) await mkdir(join(cwd, "backup", folder), { recursive: true });
      for (const file of ["duet.db", "pins/server.json", "config/.env"])
        await writeFile(join(cwd, "backup", file), file);
      execFileSync("sh", ["-e", "-c", commands], { cwd, env: { PATH: process.env.PATH, HOME: home } });
      const state = join(home, ".local/state/duet");
      expect((await readdir(state, { recursive: true })).sort()).toEqual(["duet.db", "pins", "pins/server.json"]);
      expect((await stat(state)).mode & 0o777).toBe(0o700);
      expect(await readdir(join(home, ".config/duet"))).toEqual([".env"]);
    },
  );
});

/** Everything from the second heading of the page on, which is that of restoring. */
function restorePart(text: string): string {
  return text.split(/^## /m).slice(2).join("");
}

import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A temporary directory with these files; it goes away with `await using`. */
export async function temporaryFiles(files: Record<string, string | Uint8Array> = {}) {
  const path = await realpath(await mkdtemp(join(tmpdir(), "duet-tools-")));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), content);
  }
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

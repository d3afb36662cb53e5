// Writes the types of the library, with all that they need.
import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve, sep } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Matches what a declaration imports. */
const imported = /\b(?:from|import\()\s*"([^"]+)"/g;

/**
 * Writes the declarations that the library's entry point imports, and no others. Those of Zod come along in a folder of their own:
 * our schemas are described with them, and the program that embeds Duet may have no Zod, or another version.
 */
export async function collectTypes(target) {
  const emitted = await mkdtemp(join(tmpdir(), "duet-types-"));
  try {
    // `npm run check` has checked them; to do it again, on all cores at once, took three times as much as the declarations.
    await run(process.execPath, [
      compiler,
      "-p",
      "tsconfig.types.json",
      "--noCheck",
      "--singleThreaded",
      "--outDir",
      emitted,
    ]);
    const ours = await findImports(join(emitted, "src", "index.d.ts"));
    const zod = await findImports(join(zodFolder, "index.d.ts"));
    await Promise.all([
      ...ours.map((file) => copyType(file, join(target, relative(emitted, file)), join(target, "zod"))),
      ...zod.map((file) => copyType(file, join(target, "zod", relative(zodFolder, file)))),
    ]);
  } finally {
    await rm(emitted, { recursive: true, force: true });
  }
}

const compiler = resolve("node_modules/typescript/bin/tsc");
const zodFolder = resolve("node_modules/zod");

/** Returns the file and all that it imports, also by way of others. */
async function findImports(entry) {
  const found = new Set([entry]);
  for (const file of found) {
    for (const [, name] of (await readFile(file, "utf8")).matchAll(imported))
      if (name.startsWith(".")) found.add(resolve(dirname(file), name).replace(/\.[jt]s$/, ".d.ts"));
  }
  return [...found];
}

async function copyType(from, to, zod) {
  await mkdir(dirname(to), { recursive: true });
  if (zod === undefined) return copyFile(from, to);
  const text = await readFile(from, "utf8");
  const path = relative(dirname(to), join(zod, "index.js")).replaceAll(sep, "/");
  await writeFile(
    to,
    text.replaceAll(imported, (whole, name) => {
      if (name === "zod") return whole.replace('"zod"', JSON.stringify(path.startsWith(".") ? path : `./${path}`));
      if (!name.startsWith("."))
        throw new Error(`the types of the library import ${name}, which is not installed with it`);
      return whole;
    }),
  );
}

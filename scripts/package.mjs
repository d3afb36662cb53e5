// Packs what `npm run build` has built into the file that is published: `node scripts/package.mjs [FOLDER]`. Prints its path.
import { execFile } from "node:child_process";
import { copyFile, cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { collectTypes } from "./package/collect-types.mjs";
import { toPublished } from "./package/published-document.mjs";

const run = promisify(execFile);

/** Npm takes `prepare` for a script that runs at an install, and warns of it. */
const onlyInClones = ["scripts", "devDependencies", "allowScripts"];
const documents = ["README.md", "README.zh.md", "CHANGELOG.md", "SECURITY.md"];

const target = resolve(process.argv[2] ?? "release");
const folder = await mkdtemp(join(tmpdir(), "duet-package-"));
try {
  const description = JSON.parse(await readFile("package.json", "utf8"));
  for (const name of onlyInClones) delete description[name];
  await writeFile(join(folder, "package.json"), `${JSON.stringify(description, undefined, 2)}\n`);
  await cp("dist", join(folder, "dist"), { recursive: true, filter: (path) => !path.endsWith(".mcpb") });
  await collectTypes(join(folder, "dist", "types"));
  for (const name of documents)
    await writeFile(join(folder, name), toPublished(await readFile(name, "utf8"), description));
  await copyFile("LICENSE", join(folder, "LICENSE"));
  // On Windows npm is a batch file, which only a shell runs.
  const { stdout } = await run("npm", ["pack", "--silent"], { cwd: folder, shell: process.platform === "win32" });
  const name = stdout.trim();
  await mkdir(target, { recursive: true });
  await copyFile(join(folder, name), join(target, name));
  process.stdout.write(`${join(target, name)}\n`);
} finally {
  await rm(folder, { recursive: true, force: true });
}

// Packs a tree of this repository as a release does, and unpacks packages so that they run.
import { execFile } from "node:child_process";
import { copyFile, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const quiet = { maxBuffer: 64_000_000 };

/**
 * Copies the files that git knows into `folder`: those of a commit, or of the working tree where `ref` is undefined. Then replaces texts:
 * `{ file, text, by }`, where the text must be there exactly once.
 */
export async function copyTree(folder, { ref, replacements = [] } = {}) {
  await mkdir(folder, { recursive: true });
  if (ref === undefined) await copyWorkingTree(folder);
  else {
    const archive = `${folder}.tar`;
    await run("git", ["archive", "--output", archive, ref], quiet);
    await run("tar", ["-xf", archive, "-C", folder]);
  }
  for (const { file, text, by } of replacements) {
    const path = join(folder, file);
    const before = await readFile(path, "utf8");
    const found = before.split(text).length - 1;
    if (found !== 1) throw new Error(`${file}: ${JSON.stringify(text)} is there ${found} times (allowed: once)`);
    await writeFile(
      path,
      before.replace(text, () => by),
    );
  }
  // A commit is built with the packages that are installed here.
  await symlink(resolve("node_modules"), join(folder, "node_modules"), "dir");
}

async function copyWorkingTree(folder) {
  const { stdout } = await run("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], quiet);
  for (const name of stdout.split("\0").filter(Boolean)) {
    const target = join(folder, name);
    await mkdir(dirname(target), { recursive: true });
    // A file that was removed and not committed is listed still.
    await copyFile(name, target).catch((thrown) => {
      if (thrown.code !== "ENOENT") throw thrown;
    });
  }
}

/** Builds the tree in `folder` and packs it into `target`, as `npm run package` does. Returns the path of the package. */
export async function packTree(folder, target) {
  const options = { ...quiet, cwd: folder };
  await run(process.execPath, ["scripts/build.mjs"], options);
  const { stdout } = await run(process.execPath, ["scripts/package.mjs", resolve(target)], options);
  return stdout.trim();
}

/** Unpacks a package with what it is installed with. Returns the path of its program. */
export async function unpackPackage(file, folder) {
  await mkdir(folder, { recursive: true });
  await run("tar", ["-xzf", file, "-C", folder]);
  const root = join(folder, "package");
  const { dependencies = {}, bin } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  for (const name of Object.keys(dependencies)) {
    const link = join(root, "node_modules", name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(resolve("node_modules", name), link, "dir");
  }
  return join(root, bin.duet);
}

/** Returns the only package in a folder; undefined where there is none. */
export async function findPackage(folder) {
  const names = await readdir(folder).catch(() => []);
  const found = names.find((name) => name.endsWith(".tgz"));
  return found && join(folder, found);
}

import { spawn } from "node:child_process";
import { cp, readFile, symlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { collect, programEnvironment, temporaryFolder } from "../fakes/program.ts";

/** What a clone has that packing needs. */
const sources = [
  ...["bin", "scripts", "src", "package.json", "tsconfig.json", "tsconfig.types.json"],
  ...["README.md", "README.zh.md", "CHANGELOG.md", "SECURITY.md", "LICENSE"],
];

test("what npm packs has every file that package.json points to", async () => {
  const folder = await temporaryFolder();
  for (const name of sources) await cp(name, join(folder, name), { recursive: true });
  await symlink(resolve("node_modules"), join(folder, "node_modules"));
  const env = await programEnvironment({ npm_config_update_notifier: "false" });
  const child = spawn("npm", ["pack", "--dry-run", "--json"], { cwd: folder, env, stdio: "pipe" });
  const { code, stdout, stderr } = await collect(child);
  expect(code, stderr).toBe(0);
  const packed = [...stdout.matchAll(/"path": "([^"]*)"/g)].map(([, path]) => path);
  expect(packed).toEqual(expect.arrayContaining(await pointedTo()));
  expect(packed).toContain("dist/prompts/en/answer.md");
}, 120_000);

async function pointedTo(): Promise<string[]> {
  const { bin, exports } = JSON.parse(await readFile("package.json", "utf8"));
  return [bin.duet, exports["."].types, exports["."].default].map((path: string) => path.replace("./", ""));
}

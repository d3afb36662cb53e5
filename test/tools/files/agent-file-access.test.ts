import { link, mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { createAgentFileAccess } from "../../../src/tools/files/agent-file-access.ts";
import { createFileGuard } from "../../../src/tools/files/file-guard.ts";
import { temporaryFolder } from "../../fakes/program.ts";
import { linux, requires } from "../../runner/requirements.ts";

test("what a person saved while they were asked is not lost", async () => {
  const folder = await temporaryFolder();
  const files = createAgentFileAccess({ roots: [folder] });
  const [old, fresh] = [join(folder, "old.md"), join(folder, "new.md")];
  await writeFile(old, "a long text that was there");
  const [change, creation] = [await files.open(old), await files.open(fresh)];
  await writeFile(old, "mine");
  await writeFile(fresh, "mine");
  for (const file of [change, creation]) {
    await expect(file.write("the agent's")).rejects.toThrow("was changed meanwhile");
    expect(await readFile(file.path, "utf8")).toBe("mine");
  }
  await (await files.open(old)).write("the agent's");
  await (await files.open(join(folder, "newer.md"))).write("the agent's");
  expect(await readFile(old, "utf8")).toBe("the agent's");
  expect(await readFile(join(folder, "newer.md"), "utf8")).toBe("the agent's");
});

test("a file that is one of Duet's own under another name by the time of the write is not written", async () => {
  const [folder, home] = [await temporaryFolder(), await temporaryFolder()];
  const own = join(home, "own.json");
  const files = createAgentFileAccess({ roots: [folder], guard: createFileGuard({ files: [own], folders: [] }) });
  for (const path of [own, join(folder, "a.json")]) await writeFile(path, "{}");
  const file = await files.open(join(folder, "a.json"));
  await rm(file.path);
  await link(own, file.path);
  await expect(file.write("bad")).rejects.toThrow("was not found");
  expect(await readFile(own, "utf8")).toBe("{}");
});

test("a new file outside of the roots is refused before a person is asked, and none is left there", async () => {
  const [folder, outside] = [await temporaryFolder(), await temporaryFolder()];
  await symlink(outside, join(folder, "link"));
  const files = createAgentFileAccess({ roots: [folder] });
  for (const path of [join(outside, "new.md"), join(folder, "link/new.md"), join(folder, "../new.md")])
    await expect(files.open(path)).rejects.toThrow("was not found");
  expect(await readdir(outside)).toEqual([]);
});

test.each([
  ...[".git-credentials", ".envrc", ".vault-token", ".my.cnf", ".bash_history", ".gitconfig", ".zshrc", ".env.local"],
  ...[".cursor/mcp.json", ".vscode/tasks.json", ".terraform.d/a.md", ".config/gh/hosts.yml", ".python_history"],
  ...["aws-credentials.csv", "api_token.txt", ".Docker-Credentials", "tokens.json"],
])("%s within the roots is neither read nor written", async (name) => {
  const folder = await temporaryFolder();
  const path = join(folder, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, "secret");
  const files = createAgentFileAccess({ roots: [folder] });
  await expect(files.read(path, {})).rejects.toThrow("was not found");
  await expect(files.open(path)).rejects.toThrow("was not found");
});

test("names that only resemble those of secrets belong to the project", async () => {
  const folder = await temporaryFolder();
  const files = createAgentFileAccess({ roots: [folder] });
  for (const name of [".editorconfig", ".gitignore", "token.ts", "tokenizer.json", "history.md", "credentials.ts"]) {
    await writeFile(join(folder, name), "text");
    expect(await files.read(join(folder, name), {})).toBe("text");
  }
});

// Elsewhere, a folder cannot be opened and then used; a file that was led out would be left empty there.
test(
  "a folder that becomes a link to another one and back, again and again, leads no write out of the roots",
  requires(linux),
  async () => {
    const [folder, outside] = [await temporaryFolder(), await temporaryFolder()];
    const files = createAgentFileAccess({ roots: [folder] });
    await mkdir(join(folder, "sub"));
    await writeFile(join(folder, "sub/a.md"), "inside");
    await writeFile(join(outside, "a.md"), "inside");
    await symlink(outside, join(folder, "link"));
    const swapping = new Worker(swap, { eval: true, workerData: folder });
    onTestFinished(async () => void (await swapping.terminate()));
    let written = 0;
    for (let n = 0; n < 300; n++) {
      for (const name of ["a.md", `new-${n}.md`]) {
        const file = await files.open(join(folder, "sub", name)).catch(() => undefined);
        const done = await file?.write("inside").then(
          () => true,
          () => false,
        );
        if (done) written += 1;
      }
    }
    await swapping.terminate();
    expect(written).toBeGreaterThan(0);
    expect(await readdir(outside)).toEqual(["a.md"]);
  },
);

const swap = `
const { renameSync } = require("node:fs");
const folder = require("node:worker_threads").workerData;
for (;;) {
  renameSync(folder + "/sub", folder + "/aside");
  renameSync(folder + "/link", folder + "/sub");
  renameSync(folder + "/sub", folder + "/link");
  renameSync(folder + "/aside", folder + "/sub");
}`;

import { execFile, spawn } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { findLinkProblem } from "../documents/pages.ts";
import { collect, programEnvironment } from "../fakes/program.ts";
import { packInstalled, type Registry, startRegistry } from "./registry.ts";

const run = promisify(execFile);

/** What would be published, unpacked, and a project in which it was installed by name: once for all tests, as it takes seconds. */
let folder: string;
let unpacked: string;
let project: string;
let registry: Registry;
let npmEnvironment: Record<string, string>;

beforeAll(async () => {
  folder = await mkdtemp(join(await realpath(tmpdir()), "duet-test-"));
  const [{ stdout }, api] = await Promise.all([
    run(process.execPath, ["scripts/package.mjs", folder]),
    packInstalled("@opentelemetry/api", folder),
  ]);
  const file = stdout.trim();
  await run("tar", ["-xzf", file, "-C", folder]);
  unpacked = join(folder, "package");
  registry = await startRegistry([{ file, folder: unpacked }, api]);
  npmEnvironment = {
    PATH: process.env.PATH ?? "",
    HOME: join(folder, "home"),
    npm_config_registry: registry.url,
    npm_config_update_notifier: "false",
    npm_config_audit: "false",
  };
  project = join(folder, "project");
  await mkdir(project);
  await writeFile(join(project, "package.json"), '{ "type": "module" }');
  await run("npm", ["install", "--omit=dev", "--no-fund", "duet-mcp"], { cwd: project, env: npmEnvironment });
}, 600_000);
afterAll(async () => {
  await registry?.close();
  await rm(folder, { recursive: true, force: true });
});

test("an install brings two packages, and less than 25 MB", async () => {
  const packages = globSync("node_modules/**/package.json", { cwd: project }).filter((file) =>
    /node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+[\\/]package\.json$/.test(file),
  );
  expect(packages.map((file) => file.split(/[\\/]/).slice(1, -1).join("/")).sort()).toEqual([
    "@opentelemetry/api",
    "duet-mcp",
  ]);
  const files = await readdir(join(project, "node_modules"), { recursive: true, withFileTypes: true });
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(file.parentPath, file.name))).size));
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(25_000_000);
});

/** Says of a file of the package whether no other one imports it. */
function isUnused(files: readonly string[]): (file: string) => boolean {
  const imported = files
    .filter((file) => /\.(?:js|d\.ts)$/.test(file))
    .flatMap((file) => {
      const names = readFileSync(join(unpacked, file), "utf8").matchAll(/"(\.[^"\s]*\.[jt]s)"/g);
      return [...names].map(([, name = ""]) => posix.join(posix.dirname(file), name));
    });
  const used = new Set(imported.flatMap((file) => [file, file.replace(/\.[jt]s$/, ".d.ts")]));
  return (file) => !used.has(file);
}

test("the package has the program, its pages and prompts, the library's types, the documents and the licences, and nothing else", async () => {
  const files = globSync("**/*", { cwd: unpacked, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) =>
      join(file.parentPath, file.name)
        .slice(unpacked.length + 1)
        .replaceAll("\\", "/"),
    );
  const groups: Record<string, RegExp> = {
    chunks: /^dist\/[\w.-]+-[A-Z0-9]{8}\.js$/,
    prompts: /^dist\/prompts\/(?:en|zh)\/[a-z-]+\.md$/,
    types: /^dist\/types\/(?:src|zod)\/.*\.d\.ts$/,
  };
  const counted = Object.fromEntries(
    Object.entries(groups).map(([name, pattern]) => [name, files.filter((file) => pattern.test(file))]),
  );
  expect(files.filter((file) => !Object.values(groups).some((pattern) => pattern.test(file))).sort()).toEqual([
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "README.zh.md",
    "SECURITY.md",
    "dist/THIRD-PARTY-NOTICES.txt",
    "dist/cases.schema.json",
    "dist/chat-page.html",
    "dist/chat-page.html.br",
    "dist/chat-page.html.gz",
    "dist/config.schema.json",
    "dist/duet.js",
    "dist/heavy-worker.js",
    "dist/index.js",
    "dist/module-worker.js",
    "dist/page-code.js",
    "dist/page-code.js.br",
    "dist/page-code.js.gz",
    "dist/page-math.js",
    "dist/page-math.js.br",
    "dist/page-math.js.gz",
    "dist/page-operator.js",
    "dist/page-operator.js.br",
    "dist/page-operator.js.gz",
    "dist/page-plot.js",
    "dist/page-plot.js.br",
    "dist/page-plot.js.gz",
    "dist/page-review.js",
    "dist/page-review.js.br",
    "dist/page-review.js.gz",
    "dist/run-page.html",
    "dist/starter/cases.json",
    "dist/starter/tools.jsonl",
    "dist/zod-compile.js",
    "dist/zod-core.js",
    "dist/zod-locales.js",
    "dist/zod-mini.js",
    "dist/zod.js",
    "package.json",
  ]);
  expect(counted.prompts?.sort()).toEqual(
    globSync("src/agent/prompts/*/*.md")
      .map((file) => file.replace("src/agent", "dist").replaceAll("\\", "/"))
      .sort(),
  );
  // Every other script and declaration is named by another one.
  expect(
    files
      .filter((file) => /\.(?:js|d\.ts)$/.test(file))
      .filter(isUnused(files))
      .sort(),
  ).toEqual([
    "dist/duet.js",
    "dist/page-code.js",
    "dist/page-math.js",
    "dist/page-operator.js",
    "dist/page-plot.js",
    "dist/page-review.js",
    "dist/zod-compile.js",
    "dist/zod-core.js",
    "dist/zod-mini.js",
    "dist/zod.js",
  ]);
});

test("what is published runs no script at an install, names its repository, and points to files that are there", async () => {
  const { bin, exports, ...description } = JSON.parse(await readFile(join(unpacked, "package.json"), "utf8"));
  expect(Object.keys(description).sort()).toEqual(
    ["author", "bugs", "dependencies", "description", "engines", "files", "homepage", "keywords", "license", "mcpName"]
      .concat(["name", "peerDependencies", "peerDependenciesMeta", "publishConfig", "repository", "type", "version"])
      .sort(),
  );
  expect(description).toMatchObject({
    dependencies: { "@opentelemetry/api": "^1.9.0" },
    peerDependencies: { zod: "^4.0.0" },
    peerDependenciesMeta: { zod: { optional: true } },
    publishConfig: { access: "public", provenance: true },
    repository: { url: "git+https://github.com/duet-mcp/duet.git" },
  });
  for (const path of [bin.duet, exports["."].types, exports["."].default])
    expect((await stat(join(unpacked, path))).isFile(), path).toBe(true);
});

test.each(["README.md", "README.zh.md", "CHANGELOG.md", "SECURITY.md"])(
  "in the package, every link and picture of %s leads to the file of this version in the repository",
  async (name) => {
    const text = await readFile(join(unpacked, name), "utf8");
    const { version } = JSON.parse(await readFile("package.json", "utf8"));
    const prose = text.replaceAll(/^( *)(`{3,})[\s\S]*?^ *\2 *$/gm, "").replaceAll(/(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g, "");
    const links = [...prose.matchAll(/\]\(([^()\s]+)\)|(?:href|src)="([^"]+)"/g)].map(([, a, b]) => a ?? b ?? "");
    expect(links.filter((link) => !/^(?:https:\/\/|#)/.test(link))).toEqual([]);
    const own = new RegExp(
      `^https://(?:github\\.com/duet-mcp/duet/blob|raw\\.githubusercontent\\.com/duet-mcp/duet)/v${version}/(.*)$`,
    );
    const paths = links.flatMap((link) => own.exec(link)?.[1] ?? []);
    expect(links.filter((link) => link.includes("/duet-mcp/duet") && !own.test(link))).toEqual([]);
    expect(paths.flatMap((path) => findLinkProblem(name, path) ?? [])).toEqual([]);
    if (name.startsWith("README")) {
      expect(paths.length).toBeGreaterThan(20);
      expect(/not published|尚未发布|<!--/.exec(text)?.[0]).toBeUndefined();
    }
  },
);

test("the notices name what is in the bundle, with what packages contain themselves, and nothing that was left out", async () => {
  const notices = await readFile(join(unpacked, "dist/THIRD-PARTY-NOTICES.txt"), "utf8");
  for (const name of ["hono", "undici", "zod", "@modelcontextprotocol/server", "@opentelemetry/sdk-trace", "marked"])
    expect(notices).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(`, "m"));
  expect(notices).toContain("Copyright Fedor Indutny, 2018.");
  expect(notices).toMatch(/^PDF\.js, which unpdf contains/m);
  expect(notices).not.toMatch(/^(?:@mixmark-io\/domino|cssomnom|esbuild|vitest) /m);
});

test("the installed program answers a question", async () => {
  const child = spawn(
    process.execPath,
    [join(project, "node_modules/duet-mcp/dist/duet.js"), "ask", "average of [1,2,6]?"],
    {
      cwd: project,
      env: await programEnvironment(),
    },
  );
  child.stdin.end();
  const { code, stdout, stderr } = await collect(child);
  expect(code, stderr).toBe(0);
  expect(stdout).toContain("The mean is 3.");
});

test("`npx -y duet-mcp serve` answers `initialize` and lists its tools", async () => {
  const client = new Client({ name: "host", version: "1" });
  onTestFinished(() => client.close());
  const env = { ...(await programEnvironment()), ...npmEnvironment };
  await client.connect(
    new StdioClientTransport({ command: "npx", args: ["-y", "duet-mcp", "serve"], env, cwd: folder, stderr: "ignore" }),
  );
  expect(client.getServerVersion()).toMatchObject({ name: "duet" });
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain("agent_ask");
});

test("a module of the user's gets each part of Zod where no Zod is installed", async () => {
  const tools = join(folder, "tools");
  await mkdir(tools);
  const module = `import { z } from "zod";
    import * as v4 from "zod/v4";
    import * as mini from "zod/mini";
    import { $ZodType } from "zod/v4/core";
    import { fr } from "zod/locales";
    import "zod/compile";
    z.config(z.locales.de());
    const [de] = z.string().safeParse(1).error.issues;
    z.config(fr());
    const [french] = mini.string().safeParse(1).error.issues;
    const same = [v4.z === z, z.string() instanceof $ZodType, mini.string() instanceof $ZodType];
    export default { name: "parts", description: [...same, de.message, french.message].join("; "), inputSchema: z.object({ n: z.int() }), run: () => 1 };`;
  await writeFile(join(tools, "parts.mjs"), module);
  await writeFile(join(folder, "duet.json"), JSON.stringify({ tools: { directory: tools } }));
  const duet = join(project, "node_modules/duet-mcp/dist/duet.js");
  const child = spawn(process.execPath, [duet, "tools", "--config", join(folder, "duet.json")], {
    env: await programEnvironment(),
  });
  child.stdin.end();
  const { stdout, stderr } = await collect(child);
  expect(stderr).toBe("");
  expect(stdout).toContain("true; true; true; Ungültige Eingabe: erwartet string, erhalten Zahl; Entrée invalide :");
});

// Fault group F (docs/development/faults-network.md#f-tools-that-read-files): tools that read files. A case's number stands first
// in its title.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { describe, expect, test } from "vitest";
import type { ToolResult } from "../../src/core/tools/tool.ts";
import type { JsonObject } from "../../src/kit/json.ts";
import { createBuiltinTools } from "../../src/tools/builtin/builtin-tools.ts";
import { createFileSearch } from "../../src/tools/builtin/file-search/file-search.ts";
import { createLogTransform } from "../../src/tools/builtin/log-transform/log-transform.ts";
import { temporaryFiles } from "../tools/builtin/files.ts";
import { testContext } from "../tools/context.ts";

/** What no output may hold. */
const canary = "sk-CANARY-files-0001";

const layout = {
  "root/a.txt": "ERROR harmless\n",
  "root/sub/b.txt": "ERROR harmless\n",
  "root-secret/x.txt": `ERROR ${canary}\n`,
  "outside/x.txt": `ERROR ${canary}\n`,
};

/** Calls a file tool as the agent would, and makes sure that nothing leaked. */
async function call(root: string, name: string, args: JsonObject): Promise<ToolResult> {
  const tool = createBuiltinTools({ roots: [root], locale: "en", search: undefined }).find((one) => one.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  const result = await tool.run(args, testContext());
  expect(JSON.stringify(result)).not.toContain(canary);
  return result;
}

/** The same path given to each of the file tools. */
async function callAll(root: string, path: string): Promise<ToolResult[]> {
  return [
    await call(root, "read_file", { path }),
    await call(root, "log_transform", { path }),
    await call(root, "file_search", { query: "CANARY", root_dir: path }),
  ];
}

const refusal =
  "PATH was not found: a path must exist within the allowed directories, and not be hidden or hold secrets.";

/** One text, whatever is or is not at the path. */
async function expectRefused(root: string, path: string): Promise<void> {
  for (const { ok, text, error } of await callAll(root, path)) {
    expect(ok, path).toBe(false);
    expect(error?.code).toBe("tool");
    expect(text.replace(/^".*(?= was not)/s, "PATH"), path).toBe(refusal);
  }
}

describe("72: paths that lead out", () => {
  test.each([
    ["upwards", "../outside/x.txt"],
    ["upwards to nothing", "../outside/missing.txt"],
    ["upwards through a folder", "sub/../../outside/x.txt"],
    ["upwards through a folder that is not there", "missing/../../outside/x.txt"],
    ["absolute", "/etc/passwd"],
    ["absolute to nothing", "/etc/missing"],
    ["with slashes doubled", "//etc//passwd"],
    ["percent-encoded", "%2e%2e/outside/x.txt"],
    ["percent-encoded slashes", "..%2foutside%2fx.txt"],
    ["percent-encoded twice", "%252e%252e/outside/x.txt"],
    ["with NUL", "a.txt\0../../outside/x.txt"],
    ["with NUL at the end", "../outside/x.txt\0.txt"],
    ["home", "~/x.txt"],
    ["somebody's home", "~root/x.txt"],
    ["backslashes", "..\\outside\\x.txt"],
    ["a drive letter", "C:\\Windows\\win.ini"],
    ["a share", "\\\\server\\share\\x.txt"],
    ["a URL", "file:///etc/passwd"],
    ["dots and blanks", ".. /outside/x.txt"],
    ["full-width dots", "．．/outside/x.txt"],
    ["a name too long", "x".repeat(5000)],
    ["a file as a folder", "a.txt/../../outside/x.txt"],
  ])("72: %s", async (_, path) => {
    await using files = await temporaryFiles(layout);
    await expectRefused(join(files.path, "root"), path);
    await expectRefused(join(files.path, "root"), path.replace("../", "./../"));
  });
});

test("73: a folder whose name begins like the root's is outside", async () => {
  await using files = await temporaryFiles(layout);
  const root = join(files.path, "root");
  await expectRefused(root, "../root-secret/x.txt");
  await expectRefused(root, join(files.path, "root-secret/x.txt"));
  await expectRefused(root, `${root}-secret/x.txt`);
  expect(await call(`${root}/`, "read_file", { path: join(root, "a.txt") })).toMatchObject({ ok: true });
});

describe("74: links", () => {
  test("74: out, in a chain, in a circle, and of a folder are refused, and not searched", async () => {
    await using files = await temporaryFiles(layout);
    const root = join(files.path, "root");
    await symlink("../outside/x.txt", join(root, "file.txt"));
    await symlink("/etc/passwd", join(root, "absolute"));
    await symlink("file.txt", join(root, "chain.txt"));
    await symlink("../outside", join(root, "folder"));
    await symlink("circle-b", join(root, "circle-a"));
    await symlink("circle-a", join(root, "circle-b"));
    await symlink("../root-secret/../outside/x.txt", join(root, "winding"));
    for (const path of ["file.txt", "absolute", "chain.txt", "folder/x.txt", "folder", "circle-a", "winding"])
      await expectRefused(root, path);
    const search = await call(root, "file_search", { query: "harmless" });
    expect(search.text.split("\n").slice(1)).toEqual(["a.txt:1: ERROR harmless", "sub/b.txt:1: ERROR harmless"]);
    expect((await call(root, "file_search", { query: "CANARY" })).text).toMatch(/^Nothing matches/);
  });

  test("74: what is swapped for a link out while it is read leaks nothing", async () => {
    await using files = await temporaryFiles({ ...layout, [`outside/ERROR ${canary}.txt`]: "" });
    const root = join(files.path, "root");
    await using _swapping = await swapWithoutEnd(files.path);
    let read = 0;
    for (let turn = 0; turn < 60; turn++) {
      const results = await Promise.all([
        call(root, "read_file", { path: "a.txt" }),
        call(root, "read_file", { path: "sub/b.txt" }),
        call(root, "log_transform", { path: "sub/b.txt" }),
        call(root, "file_search", { query: "ERROR" }),
      ]);
      read += results.filter(({ ok, text }) => ok && text.includes("harmless")).length;
    }
    expect(read).toBeGreaterThan(0);
  });
});

/** A process that changes `a.txt` and `sub` for links to what lies outside and back, as fast as it can. */
async function swapWithoutEnd(path: string): Promise<AsyncDisposable> {
  const script = `
    const { renameSync, symlinkSync, rmSync } = require("node:fs");
    process.chdir(${JSON.stringify(path)});
    symlinkSync("../outside/x.txt", "root/.a-link");
    symlinkSync("../elsewhere", "root/.sub-link");
    symlinkSync("outside", "elsewhere");
    renameSync("outside/x.txt", "outside/b.txt");
    symlinkSync("b.txt", "outside/x.txt");
    const swap = (there, link) => {
      renameSync(there, there + ".real.tmp");
      renameSync(link, there);
      renameSync(there, link);
      renameSync(there + ".real.tmp", there);
    };
    process.stdout.write("ready");
    for (;;) { swap("root/a.txt", "root/.a-link"); swap("root/sub", "root/.sub-link"); }`;
  const child = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  await once(child.stdout, "data");
  return {
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

describe("75: what is not a regular file", () => {
  test("75: pipes, sockets, folders and devices are refused at once", async () => {
    await using files = await temporaryFiles(layout);
    const root = join(files.path, "root");
    execFileSync("mkfifo", [join(root, "pipe.log")]);
    const server = createServer().listen(join(root, "socket.log"));
    await once(server, "listening");
    for (const name of ["read_file", "log_transform"])
      for (const path of ["pipe.log", "socket.log", "sub", "."]) {
        const { ok, text } = await call(root, name, { path });
        expect(ok).toBe(false);
        expect(text).toContain(
          /^(sub|\.)$/.test(path) ? "is a folder, not a file" : "was not found: a path must exist",
        );
      }
    const { text } = await call(root, "file_search", { query: "ERROR" });
    expect(text).toContain("(2 files looked at)");
    server.close();
  });

  test.each(["/dev/zero", "/dev/stdin", "/proc/self/environ", "/proc/self/cwd/a.txt", "/sys/kernel/notes"])(
    "75: %s is refused even where everything is allowed",
    async (path) => {
      for (const root of ["/", "/proc", "/dev"]) {
        for (const name of ["read_file", "log_transform"]) {
          const result = await call(root, name, { path });
          expect(result).toMatchObject({ ok: false, error: { code: "tool" } });
        }
      }
      expect((await call("/", "file_search", { query: "a", root_dir: "/proc" })).ok).toBe(false);
    },
  );

  test("75: a sparse file of 50 GB is read in part, and that is said", async () => {
    await using files = await temporaryFiles({ "root/big.log": "ERROR one\n".repeat(10_000) });
    const root = join(files.path, "root");
    await truncate(join(root, "big.log"), 50_000_000_000);
    expect((await call(root, "read_file", { path: "big.log", lines: 2 })).text).toEqual(
      expect.stringMatching(
        /^big\.log, lines 1-2 of more than [\d,]+ \(50,000 MB\)\nMore lines follow: use start_line 3\. .*\n\nERROR one\nERROR one$/,
      ),
    );
    expect((await call(root, "file_search", { query: "one" })).text).toContain(
      "The contents of 1 file over 2 MB were skipped",
    );
    const log = createLogTransform({ roots: [root] }, "en", Date.now, { totalBytes: 20_000_000 });
    expect((await log.run({ path: "big.log" }, testContext())).text).toContain("Partial: a limit on size or time");
    await writeFile(join(root, "zeros.log"), "");
    await truncate(join(root, "zeros.log"), 50_000_000_000);
    expect((await call(root, "log_transform", { path: "zeros.log" })).text).toBe("zeros.log is not a text file.");
  });
});

describe("76: bombs for a search", () => {
  test("76: more files, levels or bytes than the limits make a partial result that says so", async () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`many/${n}.txt`, "x"]));
    await using files = await temporaryFiles(many);
    const deep = join(files.path, "deep", ...Array.from({ length: 500 }, () => "d"));
    await mkdir(deep, { recursive: true });
    await writeFile(join(deep, "needle.txt"), "needle");
    const found = await call(files.path, "file_search", { query: "needle" });
    expect(found.text).toMatch(/^Nothing matches "needle"[\s\S]*Partial: a limit on files, depth/);
    const few = createFileSearch({ roots: [files.path] }, "en", { entries: 100 });
    expect((await few.run({ query: "needle" }, testContext())).text).toContain("Partial: ");
    // Deeper than rm goes by itself on some systems.
    await rm(join(files.path, "deep"), { recursive: true, force: true });
  });

  test("76: ten thousand matches are listed up to the limit, and that there are more is said", async () => {
    await using files = await temporaryFiles({ "a.txt": "needle\n".repeat(10_000) });
    const { text } = await call(files.path, "file_search", { query: "needle", limit: 200 });
    const lines = text.split("\n");
    expect(lines).toHaveLength(201);
    expect(lines[0]).toBe('First 200 matches for "needle"; there are more (1 file looked at)');
  });

  test("76: one line of 1 GB is never held as a whole", async () => {
    await using files = await temporaryFiles({ "line.log": "x".repeat(100_000) });
    await truncate(join(files.path, "line.log"), 1_000_000_000);
    const before = process.memoryUsage().rss;
    const read = await call(files.path, "read_file", { path: "line.log" });
    expect(read.text).toMatch(/^line\.log, lines? 1-1[\s\S]*Line 1 is too long and was cut/);
    expect(read.text.length).toBeLessThan(25_000);
    const log = createLogTransform({ roots: [files.path] }, "en", Date.now, { totalBytes: 100_000_000 });
    expect((await log.run({ path: "line.log" }, testContext())).text).toContain("Partial: ");
    expect(process.memoryUsage().rss - before).toBeLessThan(300_000_000);
  });

  test("76: binary files and names that are not UTF-8 do not end a search", async () => {
    await using files = await temporaryFiles({ "b.bin": Buffer.from("needle\0needle"), "ok.txt": "needle" });
    const name = Buffer.concat([Buffer.from(`${files.path}/needle-`), Buffer.from([0xff, 0xfe]), Buffer.from(".txt")]);
    await writeFile(name, "needle");
    await writeFile(join(files.path, "needle-\u001b[2J.txt"), "needle");
    const { ok, text } = await call(files.path, "file_search", { query: "needle" });
    expect(ok).toBe(true);
    expect(text).toContain("ok.txt:1: needle");
    expect(text).toContain("needle-\\u{1b}[2J.txt");
    expect(text.includes("\u001b")).toBe(false);
    expect(text.isWellFormed()).toBe(true);
  });
});

test("77: a pattern that explodes is plain text, and so is one for names", async () => {
  const name = `${"a".repeat(200)}!`;
  await using files = await temporaryFiles({ "a.txt": `${"a".repeat(500_000)}!\n(a+)+$\n`, [name]: "" });
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const { text } = await call(files.path, "file_search", { query: "(a+)+$" });
  expect(text.split("\n").slice(1)).toEqual(["a.txt:2: (a+)+$"]);
  const stars = `${"a*".repeat(90)}b`;
  expect((await call(files.path, "file_search", { query: stars, include: stars })).text).toMatch(/^Nothing matches/);
  delay.disable();
  expect(delay.max / 1e6).toBeLessThan(5000);
});

describe("78: secrets", () => {
  const secret = [
    ".env",
    ".env.local",
    "prod.env",
    ".git/config",
    ".ssh/id_rsa",
    "id_ed25519",
    "server.pem",
    "tls.key",
  ];
  const more = ["credentials.json", "secrets.yaml", "service-account-1.json", "duet.config.json", ".npmrc", "key.p12"];
  const kept = [".local/state/duet/duet.db", ".config/duet/config.json"];

  test.each([...secret, ...more, ...kept])("78: %s is neither read, searched nor named", async (path) => {
    await using files = await temporaryFiles({ [path]: `ERROR ${canary}\n`, "a.txt": "harmless" });
    await expectRefused(files.path, path);
    await expectRefused(files.path, join(files.path, path));
    const found = await call(files.path, "file_search", { query: "CANARY" });
    expect(found.text).toMatch(/^Nothing matches/);
    const named = await call(files.path, "file_search", { query: "*", match: "name", include: "*" });
    expect(named.text.split("\n").slice(1)).toEqual(["a.txt"]);
  });

  test("78: a link to a secret is one", async () => {
    await using files = await temporaryFiles({ ".env": canary, "keys/id_rsa": canary });
    await symlink(".env", join(files.path, "settings.txt"));
    await symlink("keys/id_rsa", join(files.path, "notes.txt"));
    for (const path of ["settings.txt", "notes.txt"]) await expectRefused(files.path, path);
  });
});

describe("79: letters", () => {
  test.each([".ENV", ".Env", "ID_RSA", "Server.PEM", "DUET.CONFIG.JSON", "Credentials.Json", ".GIT/config"])(
    "79: %s is as secret as in small letters",
    async (path) => {
      await using files = await temporaryFiles({ [path]: `ERROR ${canary}\n` });
      await expectRefused(files.path, path);
      await expectRefused(files.path, path.toLowerCase());
    },
  );

  test("79: a name is found in either form of Unicode, and read by the name that it has", async () => {
    const [composed, decomposed] = ["é.txt".normalize("NFC"), "é.txt".normalize("NFD")];
    await using files = await temporaryFiles({ [decomposed]: "Café".normalize("NFD") });
    for (const query of [composed, decomposed]) {
      const { text } = await call(files.path, "file_search", { query, match: "name" });
      const [path = ""] = text.split("\n").slice(1);
      expect(path.normalize("NFC")).toBe(composed);
      expect(await call(files.path, "read_file", { path })).toMatchObject({ ok: true });
    }
  });
});

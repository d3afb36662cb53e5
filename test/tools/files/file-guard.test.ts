import { link, mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openDuet } from "../../../src/app/open-duet.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import type { JsonObject } from "../../../src/kit/json.ts";
import { createFileGuard } from "../../../src/tools/files/file-guard.ts";
import { temporaryFiles } from "../builtin/files.ts";
import { testContext } from "../context.ts";

const secret = "SECRET-0123456789";

/** The file tools of a Duet that runs in this folder, with `--config team.json` and its state below it. */
async function openTools(folder: string) {
  const environment = { HOME: join(folder, "nobody"), DUET_HOME: join(folder, "state"), LANG: "en_US.UTF-8" };
  const config = await loadConfig({ config: "team.json" }, environment, folder);
  const duet = await openDuet({ ...config, tools: { ...config.tools, roots: [folder] } });
  onTestFinished(() => duet.close());
  const { tools } = await duet.inventory();
  return async (name: string, args: JsonObject): Promise<string> =>
    (await tools.find((tool) => tool.name === name)?.run(args, testContext()))?.text ?? `there is no ${name}`;
}

test("no tool reads the configuration in force, its backups or the state, by any path or name", async () => {
  const config = JSON.stringify({ locale: "en", tools: { allow: ["*"] }, conversations: { store: "memory" } });
  const backups = [
    ...["team.json~", "team.json.bak", "TEAM.JSON.ORIG", "team.json.old.gz", "team.json.20261101", "#team.json#"],
    ...[
      "team.json (1)",
      "team.json copy",
      "copy of team.json",
      "team.bak.json",
      "team-2026-11-01.json",
      "team (copy).json",
    ],
    ...["sub/team.json.save", "duet.config.json.bak", "sub/old-duet.config.json", "mcp.json", ".env", ".team.json.swp"],
  ];
  const shown = ["notes.txt", "steam.json.bak", "team.json.md", "team-notes.json", "sub/team.json", "states/a.txt"];
  await using files = await temporaryFiles({
    ...Object.fromEntries([...backups, ...shown].map((name) => [name, `level=INFO ${secret}\n`])),
    "team.json": `${config}\n// ${secret}\n`,
    "state/history": secret,
    "state/pins/s.json": secret,
  });
  const root = files.path;
  await mkdir(join(root, "links"));
  await symlink(join(root, "team.json"), join(root, "links/soft.txt"));
  await symlink(join(root, "state"), join(root, "links/folder"));
  await link(join(root, "team.json"), join(root, "links/hard.txt"));
  await link(join(root, "team.json.bak"), join(root, "links/backup.txt"));
  await link(join(root, "team-2026-11-01.json"), join(root, "links/dated.txt"));
  await link(join(root, "notes.txt"), join(root, "links/notes.txt"));
  await link(join(root, "state/pins/s.json"), join(root, "links/pins.txt"));
  shown.push("links/notes.txt");
  const hidden = [
    ...["team.json", "./sub/../team.json", join(root, "team.json"), "state/history", "state/pins/s.json", ...backups],
    ...[
      "links/soft.txt",
      "links/folder/history",
      "links/hard.txt",
      "links/backup.txt",
      "links/dated.txt",
      "links/pins.txt",
      `/proc/self/cwd${root}/team.json`,
    ],
    ...["/proc/self/fd/0", "TEAM.JSON", `/proc/self/root${root}/team.json`],
  ];
  const call = await openTools(root);
  const tried = [
    ...hidden.map((path) => ["read_file", path] as const),
    ...["team.json", "links/hard.txt", "team.json~", "state/history"].flatMap(
      (path) =>
        [
          ["log_transform", path],
          ["table_query", path],
          ["format_data", path],
        ] as const,
    ),
  ];
  for (const [tool, path] of tried) {
    const text = await call(tool, { path, ...(tool === "format_data" ? { to: "json" } : {}) });
    expect(text, `${tool} ${path}`).not.toContain(secret);
    expect(text, `${tool} ${path}`).toMatch(/was not found: a path must exist|There is no/);
  }
  for (const path of shown) expect(await call("read_file", { path })).toContain(secret);

  const found = await call("file_search", { query: secret, root_dir: ".", limit: 200 });
  const listed = [...found.matchAll(/^(.+?):\d+: /gm)].map(([, file]) => file);
  expect(listed.sort()).toEqual([...shown].sort());
  const names = await call("file_search", { query: "*", root_dir: ".", match: "name" });
  expect(names).toContain("notes.txt");
  for (const name of ["team.json~", "history", "state/"]) expect(names).not.toContain(name);
  const refused = "was not found: a path must exist";
  expect(await call("file_search", { query: secret, root_dir: "state" })).toContain(refused);
  expect(await call("read_file", { path: "state/nothing.txt" })).toContain(refused);
  const missing = await call("read_file", { path: "team.jsonx" });
  expect(missing).toContain("steam.json.bak");
  expect(missing).not.toContain("team.json~");
});

test("a configuration that is a link is protected where it lies", async () => {
  await using files = await temporaryFiles({ "real/shared.json": secret, "real/other.json": "x" });
  await symlink(join(files.path, "real/shared.json"), join(files.path, "team.json"));
  const guard = createFileGuard({ files: [join(files.path, "team.json")], folders: [] });
  const isProtected = await guard.findProtected();
  expect(
    ["real/shared.json", "real/shared.json.bak", "real/other.json"].map((path) => isProtected(join(files.path, path))),
  ).toEqual([true, true, false]);
});

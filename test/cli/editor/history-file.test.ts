import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, chmod, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { openHistory } from "../../../src/cli/editor/history-file.ts";
import { temporaryFolder } from "./temporary-folder.ts";

test("what was typed is there for the next program, for the user alone", async () => {
  const file = join(await temporaryFolder(), "home", "history");
  const history = openHistory(file);
  history.add("第一行\nsecond line");
  history.add("two");
  history.add("two");
  history.add("  ");
  expect(openHistory(file).entries).toEqual(["第一行\nsecond line", "two"]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await stat(dirname(file))).mode & 0o777).toBe(0o700);
});

test("a file that others may read is closed to them", async () => {
  const file = join(await temporaryFolder(), "history");
  await writeFile(file, "", { mode: 0o644 });
  openHistory(file).add("x");
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test("damaged lines are left out, and one that broke off does not spoil the next", async () => {
  const file = join(await temporaryFolder(), "history");
  await writeFile(file, '{"text":"good"}\nnot json\n{"text":7}\n[]\n\n{"text":"brok');
  const history = openHistory(file);
  expect(history.entries).toEqual(["good"]);
  history.add("next");
  expect(openHistory(file).entries).toEqual(["good", "next"]);
});

test("the last 1,000 are kept, and a file of more than twice as many is written anew", async () => {
  const file = join(await temporaryFolder(), "history");
  const lines = Array.from({ length: 2_500 }, (_, index) => `${JSON.stringify({ text: `entry ${index}` })}\n`);
  await writeFile(file, lines.join(""));
  const { entries } = openHistory(file);
  expect(entries).toHaveLength(1_000);
  expect(entries.at(-1)).toBe("entry 2499");
  expect((await readFile(file, "utf8")).trim().split("\n")).toHaveLength(1_000);
  expect(await readdir(dirname(file))).toEqual(["history"]);
});

test("several programs add to one file at the same time, and nothing is lost", async () => {
  const file = join(await temporaryFolder(), "history");
  const lines = Array.from({ length: 2_500 }, (_, index) => `${JSON.stringify({ text: `old ${index}` })}\n`);
  await writeFile(file, lines.join(""));
  const module = fileURLToPath(new URL("../../../src/cli/editor/history-file.ts", import.meta.url));
  const script = `
    const { openHistory } = await import(${JSON.stringify(module)});
    const history = openHistory(process.argv[1]);
    for (let index = 0; index < 100; index++) history.add(process.argv[2] + index);`;
  const children = ["a", "b", "c"].map((name) =>
    spawn(process.execPath, ["--input-type=module", "-e", script, file, name], { stdio: "ignore" }),
  );
  await Promise.all(children.map((child) => once(child, "close")));
  const kept = openHistory(file).entries;
  for (const name of ["a", "b", "c"]) expect(kept.filter((text) => text.startsWith(name))).toHaveLength(100);
});

test("a file that cannot be read or written means memory", async () => {
  const folder = await temporaryFolder();
  await appendFile(join(folder, "blocked"), "");
  await mkdir(join(folder, "folder"));
  for (const file of [join(folder, "blocked", "history"), join(folder, "folder"), "/dev/full"]) {
    const history = openHistory(file);
    history.add("kept");
    expect(history.entries).toEqual(["kept"]);
  }
  await chmod(folder, 0o700);
});

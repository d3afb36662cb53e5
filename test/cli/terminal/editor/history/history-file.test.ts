import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, chmod, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { openHistory } from "../../../../../src/cli/terminal/editor/history-file.ts";
import { startCpuClock } from "../../../../fakes/cpu-time.ts";
import { temporaryFolder } from "../temporary-folder.ts";

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

test("a damaged file costs no time, and is kept beside the one that is written anew", async () => {
  const file = join(await temporaryFolder(), "history");
  const damaged = `${'{"text":"broken\\x"}\nx\n'.repeat(45_000)}${'{"text":\n'.repeat(110_000)}{"text":"good"}\n`;
  await writeFile(file, damaged, { mode: 0o644 });
  await writeFile(`${file}.damaged`, "of an earlier time", { mode: 0o644 });
  const cpuTime = startCpuClock();
  expect(openHistory(file).entries).toEqual(["good"]);
  expect(cpuTime()).toBeLessThan(10_000);
  expect(await readFile(file, "utf8")).toBe('{"text":"good"}\n');
  expect(await readFile(`${file}.damaged`, "utf8")).toBe(damaged);
  expect((await stat(`${file}.damaged`)).mode & 0o777).toBe(0o600);
  expect((await readdir(dirname(file))).sort()).toEqual(["history", "history.damaged"]);
});

test("of a large file the end is read, from its first whole line on", async () => {
  const file = join(await temporaryFolder(), "history");
  const long = "长".repeat(40_000);
  const lines = Array.from({ length: 100 }, (_, index) => `${JSON.stringify({ text: `${index} ${long}` })}\n`);
  await writeFile(file, lines.join(""));
  const { entries } = openHistory(file);
  expect(entries).toHaveLength(16);
  expect(entries.at(-1)).toBe(`99 ${long}`);
  expect(openHistory(file).entries).toEqual(entries);
  expect(await readdir(dirname(file))).toEqual(["history"]);
});

test("whatever can be typed comes back", async () => {
  const file = join(await temporaryFolder(), "history");
  const texts = ['"quoted" \\ /', "\t\n\r\b\f\u0000\u001f\u007f\u2028", "\ud800 alone", "👩‍👩‍👧"];
  const history = openHistory(file);
  for (const text of texts) history.add(text);
  expect(openHistory(file).entries).toEqual(texts);
});

test("several programs add to one file at the same time, and nothing is lost", async () => {
  const file = join(await temporaryFolder(), "history");
  const lines = Array.from({ length: 2_500 }, (_, index) => `${JSON.stringify({ text: `old ${index}` })}\n`);
  await writeFile(file, lines.join(""));
  const module = fileURLToPath(new URL("../../../../../src/cli/terminal/editor/history-file.ts", import.meta.url));
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

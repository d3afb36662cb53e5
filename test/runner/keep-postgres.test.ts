import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { ownPostgres, query } from "../fakes/postgres.ts";
import { requires } from "./requirements.ts";

/** Does what a test run with one server does, until it is killed. */
const run = `
import { startKeeper } from ${JSON.stringify(resolve("test/fakes/postgres/find-keeper.ts"))};
const { url } = await startKeeper();
const told = await fetch(url + "/servers", { method: "POST", body: "[]" });
console.log(await told.text());
setInterval(() => {}, 60_000);
`;

const told = z.object({ url: z.string(), pid: z.number() });

test("a test run that is killed leaves no server and no file of one behind", requires(ownPostgres), async () => {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", run], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  const { url, pid } = told.parse(JSON.parse(String(line)));
  const [shown] = await query(url, "SHOW data_directory");
  const folder = dirname(String(shown?.data_directory));
  expect([existsSync(folder), isAlive(pid)]).toEqual([true, true]);
  child.kill("SIGKILL");
  await expect.poll(() => [existsSync(folder), isAlive(pid)]).toEqual([false, false]);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

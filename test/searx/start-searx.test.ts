import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { requires } from "../runner/requirements.ts";
import { findSearx, searx } from "./find-searx.ts";

const found = await findSearx();

test("searx ends with who started it, however that ends", requires(searx(found)), async () => {
  const child = spawn(process.execPath, [join(import.meta.dirname, "run.ts")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [line] = await once(createInterface({ input: child.stdout }), "line", { signal: AbortSignal.timeout(25_000) });
  const url = String(line).replace("export SEARXNG_URL=", "");
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  child.kill("SIGKILL");
  await expect.poll(() => fetch(url).then(String, () => "gone")).toBe("gone");
});

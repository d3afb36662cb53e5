import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";

/** Tests drive the built program, so it is built once before them, unless `npm install` has just built it (`.ci/run`). */
export default function build(): void {
  if (process.env.DUET_IS_BUILT === "1" && existsSync("dist/duet.js")) return;
  execFileSync(process.execPath, ["scripts/build.mjs"], { stdio: "inherit" });
}

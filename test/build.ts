import { execFileSync } from "node:child_process";

/** Tests drive the built program, so it is built once before them. */
export default function build(): void {
  execFileSync(process.execPath, ["scripts/build.mjs"], { stdio: "inherit" });
}

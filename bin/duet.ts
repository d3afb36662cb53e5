#!/usr/bin/env node
// Imports nothing at the top, and uses no name that an old Node lacks: it must live long enough to say so.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major > 22 || (major === 22 && minor >= 19)) {
  process.getBuiltinModule("node:module").enableCompileCache();
  const { main } = await import("./main.ts");
  await main(process.argv.slice(2));
} else {
  process.stderr.write(
    `duet: Node ${process.versions.node} is too old, 22.19 or later is needed (in a clone: npm start -- …). / Node ${process.versions.node} 版本过低，需要 22.19 或更高（在克隆中可用 npm start -- …）。\n`,
  );
  process.exitCode = 1;
}

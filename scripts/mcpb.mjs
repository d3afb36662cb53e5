// Packs what `npm run build` has built into one file that MCP hosts install: `node scripts/mcpb.mjs [FILE]`.
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packExtension } from "@anthropic-ai/mcpb";
import { icon } from "./mcpb/icon.mjs";
import { manifestOf } from "./mcpb/manifest.mjs";

const file = process.argv[2] ?? join("dist", "duet.mcpb");
const folder = await mkdtemp(join(tmpdir(), "duet-mcpb-"));
try {
  const manifest = manifestOf(JSON.parse(await readFile("package.json", "utf8")));
  await mkdir(join(folder, "server"));
  await cp("dist", join(folder, "server"), { recursive: true, filter: (path) => !path.endsWith(".mcpb") });
  await cp(join("scripts", "mcpb", "main.mjs"), join(folder, "server", "main.mjs"));
  // The one package that is not in the bundle of files, and that npm would install.
  const api = join("node_modules", "@opentelemetry", "api");
  await cp(api, join(folder, api), { recursive: true, filter: isRun });
  // What says that .js files are ES modules.
  await writeFile(join(folder, "package.json"), `${JSON.stringify({ type: "module" })}\n`);
  await writeFile(join(folder, "icon.png"), icon());
  await cp("LICENSE", join(folder, "LICENSE"));
  await writeFile(join(folder, "manifest.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
  const isPacked = await packExtension({ extensionPath: folder, outputPath: file, silent: true });
  if (!isPacked) throw new Error("The bundle could not be packed.");
  process.stderr.write(`Wrote ${file}\n`);
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** Types and source maps are for those who write programs. */
function isRun(path) {
  return !/\.d\.[cm]?ts$|\.map$/.test(path);
}

// Describes the files of a release: `node scripts/release.mjs FOLDER TAG`. The folder holds the package and the bundle; it gets the
// entry of the MCP registry (`server.json`) and the checksums of all of them (`SHA256SUMS`).
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const [folder, tag] = process.argv.slice(2);
const { name, version, repository } = JSON.parse(await readFile("package.json", "utf8"));
const entry = JSON.parse(await readFile("server.json", "utf8"));
for (const [where, found] of Object.entries({
  tag,
  "server.json": `v${entry.version}`,
  packages: `v${entry.packages[0].version}`,
}))
  if (found !== `v${version}`)
    throw new Error(`${where}: ${found} (allowed: v${version}, the version of package.json)`);

const bundle = "duet.mcpb";
const address = repository.url.replace(/^git\+/, "").replace(/\.git$/, "");
const bundled = {
  registryType: "mcpb",
  identifier: `${address}/releases/download/${tag}/${bundle}`,
  version,
  fileSha256: await hash(bundle),
  transport: { type: "stdio" },
};
const described = { ...entry, packages: [...entry.packages, bundled] };
await writeFile(join(folder, "server.json"), `${JSON.stringify(described, undefined, 2)}\n`);
const files = [`${name}-${version}.tgz`, bundle, "server.json"];
// As sha256sum(1) reads it.
const lines = await Promise.all(files.map(async (file) => `${await hash(file)}  ${file}\n`));
await writeFile(join(folder, "SHA256SUMS"), lines.join(""));

async function hash(file) {
  return createHash("sha256")
    .update(await readFile(join(folder, file)))
    .digest("hex");
}

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { type FakeHttp, serveHttp } from "../mcp-http.ts";
import { temporaryFolder } from "../program.ts";

const name = "proxied-server";

/** A registry that has one package, whose program is `fetching-server.mjs`. `origin` is the address under which npm knows it. */
export async function startRegistry(origin: string): Promise<FakeHttp> {
  const folder = await temporaryFolder();
  const manifest = { name, version: "1.0.0", bin: { [name]: "server.mjs" } };
  await mkdir(join(folder, "package"));
  await writeFile(join(folder, "package/package.json"), JSON.stringify(manifest));
  await cp(join(import.meta.dirname, "fetching-server.mjs"), join(folder, "package/server.mjs"));
  await promisify(execFile)("tar", ["-czf", "package.tgz", "package"], { cwd: folder });
  const file = await readFile(join(folder, "package.tgz"));
  const integrity = `sha512-${createHash("sha512").update(file).digest("base64")}`;
  const dist = { tarball: `${origin}/${name}/-/${name}-1.0.0.tgz`, integrity };
  const document = { name, "dist-tags": { latest: "1.0.0" }, versions: { "1.0.0": { ...manifest, dist } } };
  return serveHttp((request, response) => {
    if (request.url === `/${name}`) response.writeHead(200, { "content-type": "application/json" });
    if (request.url === `/${name}`) return void response.end(JSON.stringify(document));
    if (request.url?.endsWith(".tgz")) return void response.end(file);
    response.writeHead(404).end("{}");
  });
}

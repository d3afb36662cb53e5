// A registry of npm on a real socket that has the packages it is given.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";

const run = promisify(execFile);

/** A package's file as `npm pack` makes it, and its folder, whose `package.json` describes it. */
export interface PackedPackage {
  file: string;
  folder: string;
}

export interface Registry {
  url: string;
  close(): Promise<void>;
}

const described = z.looseObject({ name: z.string(), version: z.string() });

export async function startRegistry(packages: readonly PackedPackage[]): Promise<Registry> {
  const read = await Promise.all(
    packages.map(async ({ file, folder }) => {
      const description = described.parse(JSON.parse(await readFile(join(folder, "package.json"), "utf8")));
      return { description, bytes: await readFile(file), path: `/-/${basename(file)}` };
    }),
  );
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? "");
    const file = read.find((one) => one.path === path);
    if (file !== undefined) return void response.end(file.bytes);
    const found = read.find(({ description }) => `/${description.name}` === path);
    if (found === undefined) return void response.writeHead(404).end("{}");
    const { name, version } = found.description;
    const integrity = `sha512-${createHash("sha512").update(found.bytes).digest("base64")}`;
    const dist = { tarball: `http://${request.headers.host}${found.path}`, integrity };
    const versions = { [version]: { ...found.description, dist } };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ name, "dist-tags": { latest: version }, versions }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Packs an installed package again. */
export async function packInstalled(name: string, target: string): Promise<PackedPackage> {
  const folder = join("node_modules", name);
  const { stdout } = await run("npm", [
    "pack",
    `./${folder}`,
    "--silent",
    "--ignore-scripts",
    "--pack-destination",
    target,
  ]);
  return { file: join(target, stdout.trim()), folder };
}

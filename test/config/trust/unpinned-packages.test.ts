import { expect, test } from "vitest";
import { findUnpinnedPackages } from "../../../src/config/trust/unpinned-packages.ts";
import { load } from "../workplace.ts";

async function unpinned(command: string, ...args: string[]): Promise<string[]> {
  const { servers } = await load({ file: { mcpServers: { a: { command, args } } } });
  return findUnpinnedPackages(servers).map(({ name }) => name);
}

test.each([
  ["npx", ["-y", "@amap/amap-maps-mcp-server"], "@amap/amap-maps-mcp-server"],
  ["npx", ["-y", "@a/b@latest", "--port", "1"], "@a/b"],
  ["/opt/node/bin/npx", ["name@^1.2.3"], "name"],
  ["C:\\node\\npx.cmd", ["name@1"], "name"],
  ["npx", ["--package=name@next", "run-it"], "name"],
  ["npx", ["-p", "name", "-c", "run-it"], "name"],
  ["npx", ["--cache", "/tmp/x", "name"], "name"],
  ["npm", ["exec", "-y", "name"], "name"],
  ["pnpm", ["dlx", "name"], "name"],
  ["yarn", ["dlx", "name@1.x"], "name"],
  ["bunx", ["name"], "name"],
  ["uvx", ["--python", "3.12", "mcp-server-time"], "mcp-server-time"],
])("%s %j has no version", async (command, args, name) => {
  expect(await unpinned(command, ...args)).toEqual([name]);
});

test.each([
  ["npx", ["-y", "@a/b@1.2.3"]],
  ["npx", ["name@1.2.3-beta.1+build"]],
  ["npx", ["-p", "name@1.2.3", "-c", "run-it"]],
  ["npx", ["./local"]],
  ["npx", []],
  ["uvx", ["mcp-server-time==0.6.2"]],
  ["npm", ["start"]],
  ["node", ["server.js"]],
  ["/usr/bin/mcp-server", ["name"]],
])("%s %j is pinned, or fetches nothing by name", async (command, args) => {
  expect(await unpinned(command, ...args)).toEqual([]);
});

import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, type Heard, readyPoolOf, stdio, temporaryFolder } from "./servers.ts";

const require = createRequire(import.meta.url);

/** The script that a package puts on the PATH. */
function scriptOf(name: string): string {
  const manifest = require.resolve(`${name}/package.json`);
  const { bin } = require(manifest) as { bin: string | Record<string, string> };
  const file = typeof bin === "string" ? bin : (Object.values(bin)[0] ?? "");
  return join(manifest, "..", file);
}

const script = {
  everything: scriptOf("@modelcontextprotocol/server-everything"),
  filesystem: scriptOf("@modelcontextprotocol/server-filesystem"),
  memory: scriptOf("@modelcontextprotocol/server-memory"),
  amap: scriptOf("@amap/amap-maps-mcp-server"),
};

test("the official servers start together, and their tools can be called", async () => {
  const folder = temporaryFolder();
  const node = process.execPath;
  const pool = await readyPoolOf(
    stdio("everything", node, [script.everything]),
    stdio("files", node, [script.filesystem, folder]),
    stdio("memory", node, [script.memory], { env: { MEMORY_FILE_PATH: join(folder, "memory.json") } }),
  );
  expect(pool.status().map(({ name, state, error }) => [name, state, error])).toEqual([
    ["everything", "ready", null],
    ["files", "ready", null],
    ["memory", "ready", null],
  ]);
  const names = pool.tools().map(({ name }) => name);
  expect(names).toContain("everything__echo");
  // It runs only as a task, which we do not offer.
  expect(names).not.toContain("everything__simulate-research-query");
  expect((await call(pool, "everything__echo", { message: "hello" })).text).toBe("Echo: hello");
  const path = join(folder, "note.txt");
  expect((await call(pool, "files__write_file", { path, content: "kept" })).ok).toBe(true);
  expect((await call(pool, "files__read_text_file", { path })).text).toBe("kept");
  expect((await call(pool, "memory__read_graph")).text).toContain("entities");
});

test("a real server's progress is heard, and its image is named", async () => {
  const pool = await readyPoolOf(stdio("everything", process.execPath, [script.everything]));
  const heard: Heard[] = [];
  await call(pool, "everything__trigger-long-running-operation", { duration: 0.4, steps: 4 }, { heard });
  expect(heard.map(({ progress }) => progress)).toEqual([1, 2, 3, 4].slice(0, heard.length));
  expect(heard.length).toBeGreaterThanOrEqual(3);
  expect((await call(pool, "everything__get-tiny-image")).text).toMatch(/\[image: image\/png, \d+ bytes, not shown\]/);
});

test("Amap lists its 12 tools, and a call that fails does not give its key away", async () => {
  const key = "CANARYkey0123456789abcdef0123456";
  const pool = await readyPoolOf(stdio("amap", process.execPath, [script.amap], { env: { AMAP_MAPS_API_KEY: key } }));
  expect(pool.tools()).toHaveLength(12);
  const result = await call(pool, "amap__maps_weather", { city: "北京" });
  expect(result.ok).toBe(false);
  expect(result.error?.code).toBe("tool");
  expect(result.text).toContain("restapi.amap.com");
  expect(result.text).toContain("key=[redacted AMAP_MAPS_API_KEY]");
  expect(JSON.stringify(result)).not.toContain(key);
});

test("Amap without its key says why it does not start", async () => {
  const pool = await readyPoolOf(stdio("amap", process.execPath, [script.amap]));
  expect(pool.status()[0]?.state).toBe("failed");
  expect(pool.status()[0]?.error?.text.en).toContain("AMAP_MAPS_API_KEY");
});

// What single servers from npm do beyond the rules, through our own pool.
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ServerSettings } from "../../src/config/config.ts";
import { call, type Heard, readyPoolOf, stdio, temporaryFolder } from "../client/servers.ts";
import { npmServer } from "../fakes/program.ts";
import { keys, redirecting } from "./nine.ts";

/** One that reaches nothing outside, as without a network. */
function alone(name: string, program: string, args: string[] = [], env: Record<string, string> = {}): ServerSettings {
  const { command } = npmServer(program);
  return stdio(name, command, args, { env: { ...redirecting({}), ...env } });
}

test("files are written and read, and a graph is kept", async () => {
  const folder = temporaryFolder();
  const pool = await readyPoolOf(
    alone("files", "mcp-server-filesystem", [folder]),
    alone("memory", "mcp-server-memory", [], { MEMORY_FILE_PATH: join(folder, "memory.json") }),
  );
  const path = join(folder, "note.txt");
  expect((await call(pool, "files__write_file", { path, content: "kept" })).ok).toBe(true);
  expect((await call(pool, "files__read_text_file", { path })).text).toBe("kept");
  expect((await call(pool, "memory__read_graph")).text).toContain("entities");
  const outside = await call(pool, "files__read_text_file", { path: "/etc/hostname" });
  expect(outside).toMatchObject({ ok: false, error: { code: "tool" } });
});

test("everything's progress is heard, its image is named, and what runs only as a task is not offered", async () => {
  const pool = await readyPoolOf(alone("everything", "mcp-server-everything"));
  const heard: Heard[] = [];
  await call(pool, "everything__trigger-long-running-operation", { duration: 0.4, steps: 4 }, { heard });
  expect(heard.map(({ progress }) => progress)).toEqual([1, 2, 3, 4].slice(0, heard.length));
  expect(heard.length).toBeGreaterThanOrEqual(3);
  expect((await call(pool, "everything__get-tiny-image")).text).toMatch(/\[image: image\/png, \d+ bytes\]/);
  const names = pool.tools().map(({ name }) => name);
  expect(names).not.toContain("everything__simulate-research-query");
});

test("Amap out of reach tells its address with the key in it; we do not", async () => {
  const pool = await readyPoolOf(alone("amap", "mcp-amap", [], { AMAP_MAPS_API_KEY: keys.amap }));
  const result = await call(pool, "amap__maps_weather", { city: "北京" });
  expect(result).toMatchObject({ ok: false, error: { code: "tool" } });
  expect(result.text).toContain("restapi.amap.com");
  expect(result.text).toContain("key=[redacted AMAP_MAPS_API_KEY]");
  expect(JSON.stringify(result)).not.toContain(keys.amap);
});

test.each([
  ["Amap", alone("it", "mcp-amap"), "AMAP_MAPS_API_KEY"],
  ["Brave", alone("it", "brave-search-mcp-server"), "BRAVE_API_KEY"],
])("%s without its key says in its own words why it does not start", async (_, server, words) => {
  const pool = await readyPoolOf(server);
  const [status] = pool.status();
  expect(status?.state).toBe("failed");
  expect(status?.error?.text.en).toContain(words);
  expect(status?.error?.text.zh).toContain(words);
});

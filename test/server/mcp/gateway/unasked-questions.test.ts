// A server of the 2025 era does not say which call its question belongs to, so nobody is asked while several callers use it.
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startHttpDuet } from "../../../fakes/http-duet.ts";
import { compileCache, temporaryFolder } from "../../../fakes/program.ts";
import { hosts } from "./hosts.ts";

/** Has a host of 2026-07-28 get what is logged during its request; others get it in any case. */
const meta = { "io.modelcontextprotocol/logLevel": "info" };

test.each(hosts)("each caller is told that nobody was asked, also %s that wants no progress", async (_, connect) => {
  const folder = await temporaryFolder();
  const journal = join(folder, "journal");
  const args = [resolve("test/fakes/mcp-offering.ts"), "--journal", journal];
  const settings = { mcpServers: { below: { command: process.execPath, args, env: compileCache() } } };
  const environment = { PATH: process.env.PATH ?? "", DUET_HOME: folder };
  const { origin } = await startHttpDuet({ settings, environment, exposing: { expose: "tools" } });
  async function open() {
    const heard: unknown[] = [];
    const host = await connect({
      url: `${origin}/mcp`,
      onQuestion: () => ({ action: "decline" }),
      onLog: (entry) => heard.push(entry),
    });
    onTestFinished(() => host.close());
    return { host, heard };
  }
  const [asking, other] = [await open(), await open()];
  const leaving = new AbortController();
  const hanging = other.host.call("below__hang", {}, { signal: leaving.signal, meta }).catch(() => "cancelled");
  await expect.poll(() => readFile(journal, "utf8")).toContain('"hang"');
  expect((await asking.host.call("below__ask-twice", {}, { meta })).content[0]?.text).toBe("first: refused");
  const told = { level: "warning", logger: "duet", data: expect.stringContaining("so nobody was asked") };
  await expect.poll(() => [asking.heard, other.heard]).toMatchObject([[told], [told]]);
  leaving.abort();
  expect(await hanging).toBe("cancelled");
});
